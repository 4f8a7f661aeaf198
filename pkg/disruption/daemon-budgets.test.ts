import { describe, expect, test } from 'vitest';
import type { Quorum } from '#pkg/ceph';
import { Kinds, type KubeObject } from '#pkg/object';
import { aCluster, aFilesystem, anObject, aStore } from '#test/fixtures/objects.ts';
import { daemonBudgets, type Monitors } from './daemon-budgets.ts';

const OWNER = {
  namespace: 'rook-ceph',
  reference: { apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', name: 'c', uid: 'u' },
};

function quorum(all: number, down: number): Quorum {
  const monitors = Array.from({ length: all }, (_, at) => String(at));
  return { monitors, inQuorum: monitors.slice(down) };
}

const known = (found: Quorum | undefined, allowed?: number): Monitors => ({ quorum: found, allowed });

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
    const spec = specOf('rook-ceph-mon-pdb', daemonBudgets(cluster, [], known(quorum(all, down)), OWNER));
    if (expected === undefined) expect(spec).toBeUndefined();
    else expect(spec).toMatchObject({ maxUnavailable: expected });
  });
});

test('while Ceph does not tell who is in quorum, no more monitors may go than before', () => {
  const cluster = aCluster('c', { spec: { mon: { count: 5 }, mgr: { count: 1 } } });
  const allowed = (before: number | undefined): unknown =>
    specOf('rook-ceph-mon-pdb', daemonBudgets(cluster, [], known(undefined, before), OWNER));
  expect(allowed(0)).toMatchObject({ maxUnavailable: 0 });
  expect(allowed(undefined)).toMatchObject({ maxUnavailable: 2 });
  expect(allowed(7)).toMatchObject({ maxUnavailable: 2 });
});

test('a pod that is not ready may always go where it cannot serve, and not where it may', () => {
  const cluster = aCluster('c', { spec: { mon: { count: 3 }, mgr: { count: 2 } } });
  const policies = daemonBudgets(cluster, [], known(undefined), OWNER).map(({ metadata, spec }) => [
    metadata.name,
    (spec as { unhealthyPodEvictionPolicy: string }).unhealthyPodEvictionPolicy,
  ]);
  expect(policies).toEqual([
    ['rook-ceph-mon-pdb', 'IfHealthyBudget'],
    ['rook-ceph-mgr-pdb', 'AlwaysAllow'],
  ]);
});

describe('14.7 budgets of services', () => {
  const of = (...resources: readonly KubeObject[]): unknown =>
    daemonBudgets(aCluster('c', { spec: { mgr: { count: 1 } } }), resources, known(undefined), OWNER).map(
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
  });

  test('of mirrors count the pods of all of them, for these have the same labels', () => {
    const mirror = (name: string, count: number): KubeObject =>
      anObject(Kinds.CephRBDMirror, name, { spec: { count } });
    const files = (name: string): KubeObject => anObject(Kinds.CephFilesystemMirror, name, { spec: {} });
    expect(of(mirror('m', 1))).toEqual([]);
    expect(of(mirror('m', 2))).toEqual([['rook-ceph-rbd-mirror', 1]]);
    expect(of(mirror('m', 2), mirror('n', 3))).toEqual([['rook-ceph-rbd-mirror', 4]]);
    expect(of(files('m'))).toEqual([]);
    expect(of(files('m'), files('n'))).toEqual([['rook-ceph-fs-mirror', 1]]);
  });

  test('are none for gateways that run elsewhere', () => {
    const externalRgwEndpoints = [{ ip: '192.0.2.1' }];
    expect(of(aStore('s', { spec: { gateway: { instances: 3, externalRgwEndpoints } } }))).toEqual([]);
  });

  test('of managers exist when there is more than one', () => {
    const names = (count: number): readonly string[] =>
      daemonBudgets(aCluster('c', { spec: { mgr: { count } } }), [], known(undefined), OWNER).map(
        ({ metadata }) => metadata.name,
      );
    expect(names(1)).toEqual([]);
    expect(names(2)).toEqual(['rook-ceph-mgr-pdb']);
  });
});

test('each budget selects the daemons that it is for', () => {
  const cluster = aCluster('c', { spec: { mon: { count: 3 }, mgr: { count: 2 } } });
  const resources = [
    aFilesystem('f', { spec: { metadataServer: { activeCount: 2 } } }),
    aStore('s', { spec: { gateway: { instances: 2 } } }),
    anObject(Kinds.CephRBDMirror, 'm', { spec: { count: 2 } }),
    ...['a', 'b'].map((name) => anObject(Kinds.CephFilesystemMirror, name, { spec: {} })),
  ];
  const found = daemonBudgets(cluster, resources, known(undefined), OWNER).map(({ metadata, spec }) => {
    const { selector, maxUnavailable, minAvailable } = spec as Readonly<Record<string, unknown>>;
    return [metadata.name, selector, maxUnavailable ?? minAvailable];
  });
  const over = (matchLabels: object): object => ({ matchLabels });
  expect(found).toEqual([
    ['rook-ceph-mon-pdb', over({ app: 'rook-ceph-mon' }), 1],
    ['rook-ceph-mgr-pdb', over({ app: 'rook-ceph-mgr' }), 1],
    ['rook-ceph-mds-f', over({ rook_file_system: 'f' }), 1],
    ['rook-ceph-rgw-s', over({ rgw: 's' }), 1],
    ['rook-ceph-rbd-mirror', over({ app: 'rook-ceph-rbd-mirror' }), 1],
    ['rook-ceph-fs-mirror', over({ app: 'rook-ceph-fs-mirror' }), 1],
  ]);
});

test('where a count is not given it is the standard: two managers, and one of everything else', () => {
  const bare = { spec: {} };
  const resources = [aFilesystem('f', bare), aStore('s', bare), anObject(Kinds.CephRBDMirror, 'm', bare)];
  const names = daemonBudgets(aCluster('c', bare), resources, known(undefined), OWNER).map(
    ({ metadata }) => metadata.name,
  );
  expect(names).toEqual(['rook-ceph-mgr-pdb']);
});
