import { describe, expect, test } from 'vitest';
import type { Quorum } from '#pkg/ceph';
import { Kinds, type KubeObject } from '#pkg/object';
import { aCluster, aFilesystem, anObject, aStore } from '#test/fixtures/objects.ts';
import { daemonBudgets } from './daemon-budgets.ts';

const OWNER = {
  namespace: 'rook-ceph',
  reference: { apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', name: 'c', uid: 'u' },
};

function quorum(all: number, down: number): Quorum {
  const monitors = Array.from({ length: all }, (_, at) => String(at));
  return { monitors, inQuorum: monitors.slice(down) };
}

function specOf(name: string, found: readonly KubeObject[]): unknown {
  return found.find(({ metadata }) => metadata.name === name)?.['spec'];
}

describe('14.7 the budget of monitors', () => {
  test.for([
    { count: 1, all: 1, down: 0, expected: undefined },
    { count: 2, all: 2, down: 0, expected: undefined },
    { count: 3, all: 3, down: 0, expected: 1 },
    { count: 3, all: 3, down: 1, expected: 0 },
    { count: 5, all: 5, down: 0, expected: 2 },
    { count: 5, all: 5, down: 1, expected: 1 },
    { count: 5, all: 5, down: 2, expected: 0 },
    { count: 5, all: 5, down: 3, expected: 0 },
    { count: 7, all: 7, down: 0, expected: 2 },
  ])('of $count with $down down allows $expected', ({ count, all, down, expected }) => {
    const cluster = aCluster('c', { spec: { mon: { count }, mgr: { count: 1 } } });
    const spec = specOf('rook-ceph-mon-pdb', daemonBudgets(cluster, [], quorum(all, down), OWNER));
    if (expected === undefined) expect(spec).toBeUndefined();
    else expect(spec).toMatchObject({ maxUnavailable: expected });
  });
});

describe('14.7 budgets of services', () => {
  const of = (resource: KubeObject): unknown =>
    daemonBudgets(aCluster('c', { spec: { mgr: { count: 1 } } }), [resource], undefined, OWNER).map(
      ({ metadata, spec }) => [metadata.name, (spec as { minAvailable: number }).minAvailable],
    );
  const filesystem = (activeCount: number, activeStandby: boolean): KubeObject =>
    aFilesystem('f', { spec: { metadataServer: { activeCount, activeStandby } } });
  const store = (instances: number): KubeObject => aStore('s', { spec: { gateway: { instances } } });

  test('W18 follow the number of daemons', () => {
    expect(of(filesystem(1, false))).toEqual([]);
    expect(of(filesystem(1, true))).toEqual([['rook-ceph-mds-f', 1]]);
    expect(of(filesystem(3, true))).toEqual([['rook-ceph-mds-f', 3]]);
    expect(of(store(1))).toEqual([]);
    expect(of(store(2))).toEqual([['rook-ceph-rgw-s', 1]]);
    expect(of(store(5))).toEqual([['rook-ceph-rgw-s', 4]]);
    expect(of(anObject(Kinds.CephRBDMirror, 'm', { spec: { count: 2 } }))).toEqual([
      ['rook-ceph-rbd-mirror', 1],
    ]);
  });

  test('of managers exist when there is more than one', () => {
    const names = (count: number): readonly string[] =>
      daemonBudgets(aCluster('c', { spec: { mgr: { count } } }), [], undefined, OWNER).map(
        ({ metadata }) => metadata.name,
      );
    expect(names(1)).toEqual([]);
    expect(names(2)).toEqual(['rook-ceph-mgr-pdb']);
  });
});
