import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyOf, Kinds, refOf, type KubeObject } from '#pkg/object';
import {
  aCluster,
  aFilesystem,
  anObject,
  aPool,
  aProfile,
  aRadosNamespace,
  aStore,
  aVolume,
} from '#test/fixtures/objects.ts';
import { worldObject } from '#test/fixtures/worlds.ts';
import { DependencyIndex } from './dependency-index.ts';

type Change = { readonly add: readonly KubeObject[] } | { readonly remove: KubeObject };
const changes: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ add: fc.array(worldObject, { minLength: 1, maxLength: 4 }) }) },
    { weight: 1, arbitrary: fc.record({ remove: worldObject }) },
  ),
  { minLength: 4, maxLength: 20 },
);

const PROVIDERS = [aCluster(), aPool('p'), aFilesystem('f'), aStore('s')].map(refOf);

describe('DependencyIndex', () => {
  test('kept up to date equals one built at once', () => {
    fc.assert(
      fc.property(changes, (all) => {
        const kept = new DependencyIndex();
        const left = new Map<string, KubeObject>();
        for (const change of all) {
          if ('remove' in change) {
            kept.remove(refOf(change.remove));
            left.delete(keyOf(refOf(change.remove)));
          } else {
            kept.add(change.add);
            for (const added of change.add) left.set(keyOf(refOf(added)), added);
          }
        }
        const built = new DependencyIndex([...left.values()].toReversed());
        expect(kept.graph.edges()).toEqual(built.graph.edges());
        for (const provider of PROVIDERS)
          expect(kept.doubtsAbout(provider)).toEqual(built.doubtsAbout(provider));
        expect([...kept.objects()].map((one) => keyOf(refOf(one))).sort()).toEqual([...left.keys()].sort());
      }),
      { numRuns: 200 },
    );
  });

  test('finds out about a provider that comes later, changes, and goes', () => {
    const index = new DependencyIndex([aStore('s', { spec: { sharedPools: { dataPoolName: 'data' } } })]);
    const providers = () => index.graph.edges().map(({ provider }) => provider.name);
    expect(providers()).toEqual([]);
    index.add([aPool('data')]);
    expect(providers()).toEqual(['data']);
    index.add([aPool('data', { spec: { name: '.mgr' } })]);
    expect(providers()).toEqual([]);
    index.add([aPool('data')]);
    index.remove(refOf(aPool('data')));
    expect(providers()).toEqual([]);
  });

  test('forgets the edges of an object that goes', () => {
    const index = new DependencyIndex([aPool('p'), aRadosNamespace('n', 'p')]);
    index.remove(refOf(aRadosNamespace('n', 'p')));
    expect(index.graph.edges()).toEqual([]);
    expect(index.get(refOf(aRadosNamespace('n', 'p')))).toBeUndefined();
  });

  test('takes the last of two objects with one name', () => {
    const first = aRadosNamespace('n', 'p');
    const second = aRadosNamespace('n', 'q');
    const index = new DependencyIndex([first, second]);
    expect(index.get(refOf(first))).toBe(second);
    expect(index.graph.edges().map(({ provider }) => provider.name)).toEqual(['q']);
  });

  test('blocks when one of two mentions does', () => {
    const lenient = aCluster('lenient', {
      namespace: 'other',
      spec: { cleanupPolicy: { allowUninstallWithVolumes: true } },
    });
    const strict = aCluster('strict');
    const volume = aVolume('v', { attributes: { clusterID: 'both' } });
    const profiles = [
      aProfile('both', 'other'),
      anObject(Kinds.ClientProfile, 'both', {
        namespace: 'second-operator',
        spec: { cephConnectionRef: { name: 'rook-ceph' } },
      }),
    ];
    const edges = new DependencyIndex([volume, lenient, strict, ...profiles]).graph.edges();
    const held = edges.filter(({ code, blocks }) => code === 'RD023' && blocks);
    expect(held.map(({ provider }) => provider.name)).toEqual(['strict']);
  });

  test('removing what is not there changes nothing', () => {
    const index = new DependencyIndex([aPool('p')]);
    index.remove(refOf(aPool('q')));
    expect([...index.objects()]).toHaveLength(1);
  });

  test('brings edges up to date in turns, and says when all are', () => {
    const index = new DependencyIndex();
    for (const object of [aPool('p'), aRadosNamespace('n', 'p'), aRadosNamespace('m', 'p')])
      index.file(object);
    expect(index.graph.edges()).toEqual([]);
    expect(index.resolve(2)).toBe(false);
    expect(index.resolve(2)).toBe(true);
    expect(index.graph.edges()).toHaveLength(2);
    index.unfile(refOf(aRadosNamespace('n', 'p')));
    expect(index.graph.edges()).toHaveLength(2);
    expect(index.resolve()).toBe(true);
    expect(index.graph.edges()).toHaveLength(1);
  });

  test('tells whose dependents have changed', () => {
    const index = new DependencyIndex([aPool('p'), aPool('q')]);
    const told: string[] = [];
    index.onEdges(({ name }) => told.push(name));
    index.add([aRadosNamespace('n', 'p')]);
    index.add([aRadosNamespace('n', 'q')]);
    index.remove(refOf(aRadosNamespace('n', 'q')));
    expect(told).toEqual(['p', 'p', 'q', 'q']);
  });

  test('knows the edges of an object that is not there, and does not remember it', () => {
    const index = new DependencyIndex([aPool('p')]);
    const edges = index.edgesOf(aRadosNamespace('n', 'p'));
    expect(edges.map(({ provider }) => provider.name)).toEqual(['p']);
    expect(index.graph.edges()).toEqual([]);
  });
});
