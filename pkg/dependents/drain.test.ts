import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { DESTROY_DATA, refOf, type KubeObject } from '#pkg/object';
import { FakeClock } from '#test/fakes/fake-clock.ts';
import { FakeCluster, Refusal } from '#test/fakes/fake-cluster.ts';
import { deleted } from '#test/fakes/dependents-world.ts';
import { namespace } from '#test/fakes/usage-world.ts';
import { aCluster, aPool, aRadosNamespace } from '#test/fixtures/objects.ts';
import { drainReconciler } from './drain.ts';

const SIGNAL = new AbortController().signal;
const GOING = namespace('rook-ceph', {
  deletionTimestamp: '2030-01-01T00:00:00Z',
  finalizers: ['kubernetes'],
});

function drainOf(...objects: readonly KubeObject[]) {
  const clock = new FakeClock();
  const cluster = new FakeCluster(() => 0, [GOING, ...objects]);
  const held = new Set(['p', 'rook-ceph']);
  let [underWay, most] = [0, 0];
  let cached: KubeObject | undefined;
  const { reconcile } = drainReconciler({
    namespace: (name) => cached ?? cluster.at({ group: '', kind: 'Namespace', name }),
    get: async (ref) => cluster.at(ref),
    resourcesIn: () => objects.flatMap((object) => cluster.at(refOf(object)) ?? []),
    isHeld: ({ metadata }) => held.has(metadata.name),
    writer: {
      patch: cluster.writer.patch,
      async delete(ref, options, signal) {
        most = Math.max(most, ++underWay);
        await setImmediate();
        return cluster.writer.delete(ref, options, signal).finally(() => underWay--);
      },
    },
    clock,
  });
  return {
    cluster,
    clock,
    held,
    most: () => most,
    believe: (namespace: KubeObject) => (cached = namespace),
    reconcile: () => reconcile('rook-ceph', SIGNAL),
  };
}

describe('in a namespace that is being deleted', () => {
  test('what nothing depends on is deleted, as the very object that was seen', async () => {
    const { cluster, reconcile } = drainOf(aCluster(), aPool('p'), aRadosNamespace('a', 'p'));
    expect(await reconcile()).toEqual({ kind: 'wait-for-change' });
    expect(cluster.deletions).toEqual([
      {
        key: 'ceph.rook.io/CephBlockPoolRadosNamespace/rook-ceph/a',
        options: { uid: 'uid-of-a', propagationPolicy: 'Background' },
      },
    ]);
  });

  test('a cluster with yes-really-destroy-data goes before what it would else wait for', async () => {
    const spec = { cleanupPolicy: { confirmation: DESTROY_DATA } };
    const { cluster, reconcile } = drainOf(
      aRadosNamespace('a', 'p'),
      aCluster('rook-ceph', { spec }),
      aPool('p'),
    );
    const keys = [
      'ceph.rook.io/CephCluster/rook-ceph/rook-ceph',
      'ceph.rook.io/CephBlockPoolRadosNamespace/rook-ceph/a',
    ];
    expect(await reconcile()).toEqual({ kind: 'look-again', afterMs: 1_000 });
    expect(cluster.deletions.map(({ key }) => key)).toEqual(keys.slice(0, 1));
    await reconcile();
    expect(cluster.deletions.map(({ key }) => key)).toEqual(keys);
  });

  test('a cluster with yes-really-destroy-data that is refused keeps nothing else from going', async () => {
    const spec = { cleanupPolicy: { confirmation: DESTROY_DATA } };
    const { cluster, reconcile } = drainOf(aRadosNamespace('a', 'p'), aCluster('rook-ceph', { spec }));
    cluster.before = ({ key }) => {
      if (key.includes('CephCluster/')) throw new Refusal(409, 'Conflict');
    };
    expect(await reconcile()).toMatchObject({ kind: 'look-again' });
    expect(cluster.at(refOf(aRadosNamespace('a', 'p')))).toBeUndefined();
  });

  test.for([
    ['that is not', namespace('rook-ceph')],
    [
      'that was replaced',
      namespace('rook-ceph', { uid: 'other', deletionTimestamp: '2030-01-01T00:00:00Z' }),
    ],
  ] as const)('%s after all, nothing is deleted', async ([, now]) => {
    const { cluster, believe, reconcile } = drainOf(aRadosNamespace('a', 'p'));
    believe(GOING);
    cluster.put(now);
    expect(await reconcile()).toEqual({ kind: 'wait-for-change' });
    expect(cluster.deletions).toEqual([]);
  });

  test('what is being deleted is not deleted again', async () => {
    const { cluster, reconcile } = drainOf(deleted(aRadosNamespace('a', 'p')));
    await reconcile();
    expect(cluster.writes).toEqual([]);
  });

  test('few deletions are under way at a time: whoever answers for them needs connections, too', async () => {
    const parts = Array.from({ length: 20 }, (_, at) => aRadosNamespace(`a${at}`, 'p'));
    const { cluster, most, reconcile } = drainOf(...parts);
    await reconcile();
    expect(cluster.deletions).toHaveLength(20);
    expect(most()).toBe(3);
  });

  test('a refusal is no failure: it is tried again', async () => {
    const { cluster, reconcile } = drainOf(aRadosNamespace('a', 'p'));
    cluster.before = () => {
      throw new Refusal(409, 'Conflict');
    };
    expect(await reconcile()).toMatchObject({ kind: 'look-again' });
  });

  test('what is refused again and again is tried less and less often, whatever else changes', async () => {
    const { cluster, clock, reconcile } = drainOf(aRadosNamespace('a', 'p'));
    let tries = 0;
    cluster.before = () => {
      tries += 1;
      throw new Refusal(503, 'ServiceUnavailable');
    };
    for (let second = 0; second < 600; second++) {
      await reconcile();
      await clock.advance(1_000);
    }
    expect(tries).toBeGreaterThan(12);
    expect(tries).toBeLessThan(20);
  });

  test('the namespace controller is woken once, after the last', async () => {
    const part = aRadosNamespace('a', 'p');
    const { cluster, reconcile } = drainOf(part);
    await reconcile();
    await reconcile();
    await reconcile();
    expect(cluster.writes.map(({ verb }) => verb)).toEqual(['delete', 'patch']);
    expect(cluster.at(refOf(GOING))?.metadata.labels).toEqual({ 'rook-deps.io/drained': 'true' });
  });

  test('nothing is done where nothing of Rook was', async () => {
    const { cluster, reconcile } = drainOf();
    await reconcile();
    expect(cluster.writes).toEqual([]);
  });
});
