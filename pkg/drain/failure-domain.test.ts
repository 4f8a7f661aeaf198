import { describe, expect, test } from 'vitest';
import { cephClient, type CephPool, type CrushRule } from '#pkg/ceph';
import { Kinds } from '#pkg/object';
import { aFilesystem, anObject, aPool, aStore } from '#test/fixtures/objects.ts';
import { cephSample, RELEASES } from '#test/fixtures/ceph.ts';
import { fakeRunner } from '#test/fakes/ceph-runner.ts';
import { enforcedDomain, requestedDomain, rooksDomain } from './failure-domain.ts';

function aRule(id: number, ...types: readonly string[]): CrushRule {
  const choices = types.map((type) => ({ op: 'chooseleaf_firstn', type, count: 0 }));
  return { id, name: `rule-${id}`, steps: [{ op: 'take', count: 0 }, ...choices, { op: 'emit', count: 0 }] };
}

function aCephPool(name: string, crushRule: number): CephPool {
  return { id: crushRule, name, size: 3, minSize: 2, crushRule, isErasureCoded: false };
}

const domain = (...types: readonly string[]): string =>
  enforcedDomain(
    types.map((type, at) => aCephPool(type, at)),
    types.map((type, at) => aRule(at, type)),
  );

describe('the failure domain that rules enforce', () => {
  test.for([
    { types: ['region', 'zone'], expected: 'zone' },
    { types: ['region', 'zone', 'host'], expected: 'host' },
    { types: ['aaa', 'bbb', 'ccc'], expected: 'host' },
    { types: ['region'], expected: 'region' },
    { types: ['rack', 'host'], expected: 'host', because: 'the pool of the manager counts like any other' },
    { types: ['zone', 'osd'], expected: 'host', because: 'no node can be drained by halves' },
    { types: [], expected: 'host' },
  ])('14.7 of $types is $expected', ({ types, expected }) => {
    expect(domain(...types)).toBe(expected);
  });

  test('is the smallest of a rule that chooses twice', () => {
    expect(enforcedDomain([aCephPool('ec', 0)], [aRule(0, 'rack', 'host')])).toBe('host');
  });

  test('leaves out rules that no pool uses', () => {
    expect(enforcedDomain([aCephPool('p', 1)], [aRule(0, 'host'), aRule(1, 'zone')])).toBe('zone');
  });

  test('is a host for a pool whose rule is not known', () => {
    expect(enforcedDomain([aCephPool('p', 1), aCephPool('q', 9)], [aRule(1, 'zone')])).toBe('host');
  });

  test.for(RELEASES)('is read from answers of Ceph %s', async (release) => {
    const { signal } = new AbortController();
    const ceph = cephClient(
      fakeRunner({
        'ceph osd dump': { json: cephSample(release, 'osd-dump') },
        'ceph osd crush rule dump': { json: cephSample(release, 'osd-crush-rule-dump') },
      }),
    );
    const [{ pools }, rules] = [await ceph.osdMap(signal), await ceph.crushRules(signal)];
    expect(enforcedDomain(pools, rules)).toBe('host');
    const zonal = pools.filter(({ name }) => name === 'pool-zone');
    expect(enforcedDomain(zonal, rules)).toBe('zone');
  });
});

describe('the failure domain that resources ask for', () => {
  test('W17 is the lowest of pools, filesystems, stores and zones, an empty one being a host', () => {
    const zone = { failureDomain: 'zone' };
    const rack = { failureDomain: 'rack' };
    expect(requestedDomain([aPool('p', { spec: zone })])).toBe('zone');
    expect(requestedDomain([aPool('p', { spec: zone }), aPool('q', { spec: {} })])).toBe('host');
    const filesystem = aFilesystem('f', { spec: { metadataPool: zone, dataPools: [zone, rack] } });
    expect(requestedDomain([filesystem])).toBe('rack');
    expect(requestedDomain([aStore('s', { spec: { metadataPool: rack, dataPool: zone } })])).toBe('rack');
    expect(requestedDomain([anObject(Kinds.CephObjectZone, 'z', { spec: { dataPool: zone } })])).toBe('zone');
    expect(requestedDomain([])).toBe('host');
  });
});

test.for([
  { specs: ['region', 'zone'], expected: 'zone' },
  { specs: ['region', 'zone', 'host'], expected: 'host' },
  { specs: ['aaa', 'bbb'], expected: 'host' },
  { specs: ['', 'rack'], expected: 'rack' },
  { specs: ['osd', 'rack'], expected: 'rack' },
  { specs: ['region'], expected: 'host' },
  { specs: [], expected: undefined },
])('14.7 W17 of pools over $specs Rook takes $expected', ({ specs, expected }) => {
  const pools = specs.map((failureDomain, at) => aPool(`p${at}`, { spec: { failureDomain } }));
  expect(rooksDomain(pools)).toBe(expected);
});
