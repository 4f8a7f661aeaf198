import { describe, expect, test } from 'vitest';
import { Kinds, refOf, textAt } from '#pkg/object';
import { aRequest, aWorkload, MaintenanceWorld } from '#test/fakes/maintenance-world.ts';
import { Refusal } from '#test/fakes/fake-cluster.ts';
import { anObject } from '#test/fixtures/objects.ts';

const { signal } = new AbortController();
const HOUR_MS = 3_600_000;

/** An OSD of another node comes to this one. */
function moveOsd(world: MaintenanceWorld, id: number, node: string): void {
  const pod = world.cluster
    .ofKind('/Pod')
    .find(({ metadata }) => metadata.labels?.['ceph-osd-id'] === String(id));
  if (pod) world.cluster.put({ ...pod, spec: { ...(pod['spec'] as object), nodeName: node } });
}

/** Calls back while Ceph is asked how it is, once. */
function whileAsked(world: MaintenanceWorld, change: () => Promise<void> | void): void {
  const { cephOf } = world.ports;
  const { ports } = world;
  let isDone = false;
  Object.defineProperty(world, 'ports', {
    value: {
      ...ports,
      cephOf: (cluster: Parameters<typeof cephOf>[0]) => {
        const ceph = cephOf(cluster);
        return {
          ...ceph,
          status: async () => {
            if (!isDone) {
              isDone = true;
              await change();
            }
            return ceph.status(signal);
          },
        };
      },
    },
  });
}

describe('an OSD that came to the node after it began', () => {
  async function withGuest(): Promise<MaintenanceWorld> {
    const world = new MaintenanceWorld(aWorkload('web', 'node-x'));
    world.holds.set('web', 'a budget');
    await world.start();
    moveOsd(world, 2, 'node-x');
    return world;
  }

  test('goes only with noout set, and is back as it was after a stop', async () => {
    const world = await withGuest();
    const changes: string[] = [];
    world.onChange = (when, what) => void (when === 'before' && changes.push(what));
    world.holds.clear();
    // It shares no data with those that are here.
    world.sharesData = false;
    const ready = await world.settle();
    expect(ready?.status.phase).toBe('Ready');
    expect(changes.indexOf('set noout osd.2')).toBeGreaterThanOrEqual(0);
    expect(changes.indexOf('set noout osd.2')).toBeLessThan(changes.indexOf('evict rook-ceph-osd-2-pod'));
    expect(ready?.status.clusters[0]?.osds).toEqual([0, 1, 2]);
    await world.stop();
    expect([...world.noout]).toEqual([]);
  });

  test('stays while data would not be served without it', async () => {
    const world = await withGuest();
    world.holds.clear();
    const held = await world.settle('node-x', 10);
    expect(held?.status.blockedBy.map(({ reason }) => reason)).toContain('DataWouldStop');
    expect(world.evicted.filter((name) => name.includes('osd'))).toEqual([]);
  });
});

describe('while Ceph is asked,', () => {
  async function readyToEvict(): Promise<MaintenanceWorld> {
    const world = new MaintenanceWorld(aWorkload('web', 'node-x'));
    world.holds.set('web', 'a budget');
    await world.start();
    world.holds.clear();
    return world;
  }

  test('a stop counts: nothing is evicted', async () => {
    const world = await readyToEvict();
    whileAsked(world, async () => {
      const found = await world.commandLedger.find('node-x', signal);
      if (found) await world.commandLedger.stop(found, signal);
    });
    await world.step();
    expect(world.evicted).toEqual([]);
    expect(await world.settle()).toBeUndefined();
  });

  test('who uncordons the node is heeded', async () => {
    const world = await readyToEvict();
    whileAsked(world, () => world.cordon('node-x', false));
    const result = await world.step();
    expect(world.evicted).toEqual([]);
    expect(result?.maintenance.status.blockedBy).toMatchObject([{ reason: 'Uncordoned' }]);
  });
});

describe('a node that is gone', () => {
  const gone = { group: '', kind: 'Node', name: 'node-x' };

  test('keeps noout no longer than was asked', async () => {
    const world = new MaintenanceWorld();
    await world.start(aRequest({ duration: '1h' }));
    world.cluster.drop(gone);
    expect((await world.settle())?.status.phase).toBe('Failed');
    world.clock.jump(HOUR_MS);
    expect((await world.settle())?.status.phase).toBe('Expired');
    expect([...world.noout]).toEqual([]);
  });

  test('keeps noout for half an hour if nobody said how long', async () => {
    const world = new MaintenanceWorld();
    await world.start();
    world.cluster.drop(gone);
    expect((await world.settle())?.status.message).toContain('noout stays until');
    world.clock.jump(HOUR_MS / 4);
    await world.settle();
    expect([...world.noout]).toEqual([0, 1]);
    world.clock.jump(HOUR_MS / 2);
    await world.settle();
    expect([...world.noout]).toEqual([]);
  });
});

test('a node that somebody uncordons is not ready any more, until it is seen to be', async () => {
  const world = new MaintenanceWorld();
  world.live = () => undefined;
  expect((await world.start())?.status.phase).toBe('Ready');
  world.cordon('node-x', false);
  expect((await world.step())?.maintenance.status.phase).toBe('Draining');
  world.cordon('node-x');
  world.ceph = 'silent';
  expect((await world.step())?.maintenance.status.phase).toBe('Draining');
  world.ceph = 'well';
  expect((await world.settle())?.status.phase).toBe('Ready');
});

test("an account that Rook left behind is in nobody's way", async () => {
  const data = { 'draining-failure-domain': 'zone-z' };
  const world = new MaintenanceWorld(anObject(Kinds.ConfigMap, 'rook-ceph-pdbstatemap', { data }));
  expect((await world.start())?.status.phase).toBe('Ready');
});

describe('what goes wrong', () => {
  test('with one pod keeps no other, and is told', async () => {
    const world = new MaintenanceWorld(aWorkload('api', 'node-x'), aWorkload('web', 'node-x'));
    world.refusals.set('api', new Refusal(403, 'Forbidden', 'denied by somebody'));
    const held = await world.start();
    expect(world.evicted).toEqual(['web']);
    expect(held?.status).toMatchObject({
      lastError: 'shop/api: denied by somebody',
      blockedBy: [{ reason: 'EvictionFailed', pods: ['shop/api'] }],
    });
    world.refusals.clear();
    expect((await world.settle())?.status).toMatchObject({ phase: 'Ready', lastError: undefined });
  });

  test('with everything is told as well', async () => {
    const world = new MaintenanceWorld();
    const maintenance = anObject(Kinds.NodeMaintenance, 'node-x', { spec: { nodeName: 'node-x' } });
    world.cluster.put(maintenance);
    world.onChange = (when, what) => {
      if (when === 'before' && what === 'patch Node') throw new Error('not allowed');
    };
    await world.reconcile();
    await world.reconcile();
    await expect(world.reconcile()).rejects.toThrow('not allowed');
    const told = world.cluster.at(refOf(maintenance));
    expect(textAt(told, 'status', 'lastError')).toBe('not allowed');
  });
});
