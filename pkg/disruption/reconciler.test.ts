import { describe, expect, test } from 'vitest';
import { fieldAt, keyOf, refOf, type KubeObject } from '#pkg/object';
import { DrainWorld, ZONES } from '#test/fakes/drain-world.ts';
import { aCluster, aPool } from '#test/fixtures/objects.ts';
import { anOsd } from '#test/fixtures/osds.ts';

const DEFAULT = ['rook-ceph-osd'];
const UNPLACED = 'rook-ceph-osd-unplaced';
const BLOCKING_X = ['rook-ceph-osd-zone-y', 'rook-ceph-osd-zone-z'];

describe('a round', () => {
  test('in a quiet cluster makes the default budget once, and then writes nothing', async () => {
    const world = new DrainWorld();
    expect(await world.round()).toEqual({ kind: 'wait-for-change' });
    expect(world.budgets()).toEqual(DEFAULT);
    world.writes.length = 0;
    await world.round();
    expect(world.writes).toEqual([]);
  });

  test('during a drain remembers, blocks the others, and then keeps the data where it is', async () => {
    const world = new DrainWorld();
    await world.round();
    world.writes.length = 0;
    world.drain(0);
    expect(await world.round()).toMatchObject({ kind: 'look-again' });
    expect(world.writes).toEqual([
      'apply rook-deps-disruption',
      'apply rook-ceph-osd-zone-y',
      'apply rook-ceph-osd-zone-z',
      'delete rook-ceph-osd',
      'apply rook-deps-disruption',
      'set noout x',
      'apply rook-deps-disruption',
    ]);
    expect(world.told).toEqual(['CephCluster/rook-ceph DrainStarted', 'Node/node-0 DrainStarted']);
    world.writes.length = 0;
    await world.round();
    expect(world.writes).toEqual([]);
  });

  test('looks again after longer while nothing changes, and soon when something has', async () => {
    const world = new DrainWorld();
    world.drain(0);
    const waits: unknown[] = [];
    const look = async (): Promise<void> => {
      waits.push(fieldAt(await world.round(), 'afterMs'));
    };
    for (let times = 0; times < 6; times += 1) await look();
    world.state = 'active+recovering';
    await look();
    expect(waits).toEqual([3000, 6000, 12_000, 24_000, 30_000, 30_000, 3000]);
  });

  test('after it gives everything back', async () => {
    const world = new DrainWorld();
    world.drain(0);
    await world.round();
    world.recover(0);
    await world.round();
    expect(world.budgets()).toEqual(DEFAULT);
    expect(world.flags).toEqual({});
    expect(world.told.slice(-2)).toEqual(['CephCluster/rook-ceph DrainEnded', 'Node/node-0 DrainEnded']);
    expect(await world.round()).toEqual({ kind: 'wait-for-change' });
  });

  test('keeps on blocking while OSDs are back and copies are not', async () => {
    const world = new DrainWorld();
    world.drain(0);
    await world.round();
    world.recover(0);
    world.state = 'active+recovering';
    await world.round();
    expect(world.budgets()).toEqual(BLOCKING_X);
    expect(world.flags).toEqual({});
  });

  test('W26 does not trust clean groups while Ceph still counts on an OSD that was taken away', async () => {
    const world = new DrainWorld();
    world.drain(0);
    world.down = [];
    world.state = 'active+clean';
    await world.round();
    expect(world.budgets()).toEqual(BLOCKING_X);
  });

  test('blocks without an answer of Ceph, and gives nothing back without one', async () => {
    const world = new DrainWorld();
    world.put(aPool('p', { spec: { failureDomain: 'zone' } }));
    world.isSilent = true;
    world.drain(0);
    await world.round();
    expect(world.budgets()).toEqual(BLOCKING_X);
    world.recover(0);
    await world.round();
    expect(world.budgets()).toEqual(BLOCKING_X);
    world.isSilent = false;
    await world.round();
    expect(world.budgets()).toEqual(DEFAULT);
  });

  test('without any way to Ceph goes by what resources ask for, and sets no flag', async () => {
    const world = new DrainWorld();
    world.hasCeph = false;
    world.put(aPool('p', { spec: { failureDomain: 'zone' } }));
    await world.round();
    expect(world.budgets()).toEqual(DEFAULT);
    world.drain(0);
    await world.round();
    expect(world.budgets()).toEqual(BLOCKING_X);
    expect(world.flags).toEqual({});
  });

  test('without an answer of Ceph goes on with the type of failure domain that it knew', async () => {
    const world = new DrainWorld();
    await world.round();
    world.isSilent = true;
    world.drain(0);
    await world.round();
    expect(world.budgets()).toEqual(BLOCKING_X);
  });

  test('asks for the rules of Ceph once as long as they are the same', async () => {
    const world = new DrainWorld();
    const asked: string[] = [];
    world.beforeAnswer = (question) => asked.push(question);
    await world.round();
    await world.round();
    expect(asked.filter((question) => question.includes('rule dump'))).toHaveLength(1);
    world.type = 'host';
    await world.round();
    expect(asked.filter((question) => question.includes('rule dump'))).toHaveLength(2);
  });

  test('sees who went down while it asked for the groups', async () => {
    const world = new DrainWorld();
    world.beforeAnswer = (question) => {
      if (!question.startsWith('tell')) return;
      world.down = [0];
      world.state = 'active+undersized';
    };
    await world.round();
    expect(world.budgets()).toEqual(BLOCKING_X);
  });

  test('W26 sees who is back while the manager is silent, and gives back nothing but noout', async () => {
    const world = new DrainWorld();
    world.drain(0);
    await world.round();
    expect(world.flags).toEqual({ x: ['noout'] });
    world.isManagerSilent = true;
    await world.round();
    expect(world.flags).toEqual({ x: ['noout'] });
    world.beforeAnswer = (question) => {
      if (question.startsWith('pg dump')) world.recover(0);
    };
    await world.round();
    expect(world.flags).toEqual({});
    expect(world.budgets()).toEqual(BLOCKING_X);
  });

  test('leaves no OSD without a budget that came, or lost its label, while it asked for the groups', async () => {
    const world = new DrainWorld();
    world.drain(0);
    world.beforeAnswer = (question) => {
      if (!question.startsWith('tell')) return;
      world.put(anOsd(9, { zone: 'new', node: 'node-1' }));
      world.osd(1, { zone: '' });
    };
    await world.round();
    expect(world.coverOf(9)).toEqual(['rook-ceph-osd-zone-new']);
    expect(world.coverOf(1)).toEqual([UNPLACED]);
  });

  test('leaves out a dead OSD whose data is safe, without noout', async () => {
    const world = new DrainWorld();
    world.osd(2, { ready: false });
    world.down = [2];
    await world.round();
    expect(world.flags).toEqual({});
    const [found] = [...world.objects.values()].filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(found?.['spec']).toMatchObject({
      selector: { matchExpressions: [{ key: 'app' }, { key: 'osd', operator: 'NotIn', values: ['2'] }] },
    });
  });

  test.for([
    { name: 'an OSD is dead', disturb: (world: DrainWorld) => (world.down = [2]) },
    { name: 'Ceph is silent', disturb: (world: DrainWorld) => (world.isSilent = true) },
    { name: 'a monitor is missing', disturb: (world: DrainWorld) => (world.inQuorum = ['a', 'b']) },
  ])('of a cluster at rest comes by itself half a minute later while $name', async ({ disturb }) => {
    const world = new DrainWorld();
    world.put(aCluster('rook-ceph', { uid: 'cluster', spec: { mon: { count: 3 }, mgr: { count: 1 } } }));
    expect(await world.round()).toEqual({ kind: 'wait-for-change' });
    disturb(world);
    expect(await world.round()).toEqual({ kind: 'look-again', afterMs: 30_000 });
  });

  test('lets no further monitor go while one is out of quorum', async () => {
    const world = new DrainWorld();
    world.put(aCluster('rook-ceph', { uid: 'cluster', spec: { mon: { count: 3 }, mgr: { count: 1 } } }));
    const allowed = async (): Promise<unknown> => {
      await world.round();
      const budgets = [...world.objects.values()];
      const found = budgets.find(({ metadata }) => metadata.name === 'rook-ceph-mon-pdb');
      return fieldAt(found, 'spec', 'maxUnavailable');
    };
    expect(await allowed()).toBe(1);
    world.inQuorum = ['a', 'b'];
    expect(await allowed()).toBe(0);
    world.isSilent = true;
    expect(await allowed()).toBe(0);
  });

  test('takes noout off when its time is over, and leaves it off', async () => {
    const world = new DrainWorld({ osdMaintenanceTimeout: 10 });
    world.drain(0);
    await world.round();
    world.now += 10 * 60_000;
    world.told.length = 0;
    await world.round();
    expect(world.flags).toEqual({});
    expect(world.told).toEqual(['CephCluster/rook-ceph NooutEnded']);
    await world.round();
    expect(world.flags).toEqual({});
    expect(world.told).toHaveLength(1);
    expect(world.budgets()).toEqual(BLOCKING_X);
  });

  test('W23 leaves a flag of somebody else alone', async () => {
    const world = new DrainWorld();
    world.flags = { x: ['noout'], y: ['noout'] };
    world.drain(0);
    await world.round();
    world.recover(0);
    await world.round();
    expect(world.flags).toEqual({ x: ['noout'], y: ['noout'] });
  });

  test('W29 frees the rest of the domain at once, however many OSDs it has', async () => {
    const world = new DrainWorld();
    for (const id of [7, 8, 9]) world.put(anOsd(id, { zone: 'x', node: 'node-0' }));
    await world.round();
    expect(world.coverOf(7)).toEqual(DEFAULT);
    world.drain(0);
    await world.round();
    for (const id of [0, 7, 8, 9]) expect(world.coverOf(id)).toEqual([]);
    expect(world.coverOf(1)).toEqual(['rook-ceph-osd-zone-y']);
  });

  test('W21 leaves nothing of a type of failure domain that is no longer enforced', async () => {
    const world = new DrainWorld();
    world.drain(0);
    await world.round();
    expect(world.flags).toEqual({ x: ['noout'] });
    world.type = 'host';
    await world.round();
    expect(world.budgets()).toEqual(['rook-ceph-osd-host-node-1', 'rook-ceph-osd-host-node-2']);
    expect(world.flags).toEqual({ 'node-0': ['noout'] });
    world.recover(0);
    await world.round();
    expect(world.budgets()).toEqual(DEFAULT);
    expect(world.flags).toEqual({});
  });

  test('W21 leaves nothing of a domain that is no longer there', async () => {
    const world = new DrainWorld();
    world.drain(0);
    await world.round();
    world.objects.delete(keyOf(refOf(anOsd(0))));
    world.down = [];
    world.state = 'active+clean';
    await world.round();
    expect(world.budgets()).toEqual(DEFAULT);
    expect(world.flags).toEqual({});
  });

  test('W25 an OSD without a label gets a budget of its own, and stops nobody', async () => {
    const world = new DrainWorld();
    world.put(anOsd(9, { node: 'node-1' }));
    world.drain(0);
    await world.round();
    expect(world.budgets()).toEqual(['rook-ceph-osd-unplaced', ...BLOCKING_X]);
  });

  test('W25 where no OSD has a label, Ceph tells the domain', async () => {
    const world = new DrainWorld();
    for (const id of [0, 1, 2]) world.osd(id, { zone: '' });
    world.drain(0);
    world.osd(0, { zone: '', ready: false });
    await world.round();
    expect([0, 1, 2].map((id) => world.coverOf(id).length)).toEqual([0, 1, 1]);
    expect(world.flags).toEqual({ x: ['noout'] });
  });

  test('W25 where nobody tells the domain, all that are up are held', async () => {
    const world = new DrainWorld();
    world.isFlat = true;
    for (const id of [1, 2]) world.osd(id, { zone: '' });
    world.drain(0);
    world.osd(0, { zone: '', ready: false });
    await world.round();
    expect([0, 1, 2].map((id) => world.coverOf(id))).toEqual([[], [UNPLACED], [UNPLACED]]);
    expect(world.flags).toEqual({});
  });

  test('counts an OSD that Ceph misses and that has no Deployment any more', async () => {
    const world = new DrainWorld();
    world.put(anOsd(7, { zone: 'x', node: 'node-0' }));
    await world.round();
    world.objects.delete(keyOf(refOf(anOsd(0))));
    world.down = [0];
    world.state = 'active+undersized';
    await world.round();
    expect(world.budgets()).toEqual(BLOCKING_X);
    expect(world.coverOf(7)).toEqual([]);
    expect(world.flags).toEqual({});
    world.state = 'active+clean';
    expect(await world.round()).toEqual({ kind: 'wait-for-change' });
    expect(world.coverOf(7)).toEqual(DEFAULT);
  });

  test('holds all OSDs while copies are missing, although all are there', async () => {
    const world = new DrainWorld();
    world.state = 'active+undersized+degraded';
    expect(await world.round()).toMatchObject({ kind: 'look-again' });
    expect([0, 1, 2].map((id) => world.coverOf(id))).toEqual(
      ZONES.map((zone) => [`rook-ceph-osd-zone-${zone}`]),
    );
    world.isSilent = true;
    await world.round();
    expect(world.coverOf(0)).toEqual(['rook-ceph-osd-zone-x']);
    world.isSilent = false;
    world.state = 'active+remapped+backfilling';
    expect(await world.round()).toEqual({ kind: 'wait-for-change' });
    expect(world.budgets()).toEqual(DEFAULT);
    expect(world.told).toEqual([
      'CephCluster/rook-ceph CopiesMissing',
      'CephCluster/rook-ceph CopiesComplete',
    ]);
  });

  test.for(['active+remapped+backfilling', 'creating+peering'])(
    'holds nobody while groups are %s and all OSDs are there',
    async (state) => {
      const world = new DrainWorld();
      world.state = state;
      expect(await world.round()).toEqual({ kind: 'wait-for-change' });
      expect(world.budgets()).toEqual(DEFAULT);
      expect(world.told).toEqual([]);
    },
  );

  test('that is killed at any write is finished by the next', async () => {
    for (let survivor = 0; survivor < 9; survivor += 1) {
      const world = new DrainWorld();
      await world.round();
      world.drain(0);
      let left = survivor;
      world.beforeWrite = () => {
        if (left === 0) throw new Error('killed');
        left -= 1;
      };
      await world.round().catch(() => undefined);
      world.beforeWrite = () => undefined;
      await world.round();
      expect(world.budgets()).toEqual(BLOCKING_X);
      expect(world.flags).toEqual({ x: ['noout'] });
      world.recover(0);
      await world.round();
      expect(world.budgets()).toEqual(DEFAULT);
      expect(world.flags).toEqual({});
    }
  });
});

describe('a budget of somebody else', () => {
  const theirs = (name: string, matchLabels: object): KubeObject => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'rook-ceph', uid: `their-${name}` },
    spec: { maxUnavailable: 1, selector: { matchLabels } },
  });

  test('over all OSDs leaves none to us, and is told of once', async () => {
    const world = new DrainWorld();
    await world.round();
    world.put(theirs('mine', { app: 'rook-ceph-osd' }));
    await world.round();
    world.drain(0);
    await world.round();
    expect(world.budgets()).toEqual(['mine']);
    expect(world.told.filter((line) => line.endsWith('BudgetsOfOthers'))).toHaveLength(1);
  });

  test('over one OSD leaves the others to us', async () => {
    const world = new DrainWorld();
    world.put(theirs('mine', { osd: '1' }), anOsd(8, { zone: 'y', node: 'node-1' }));
    await world.round();
    expect([0, 1, 2].map((id) => world.coverOf(id))).toEqual([DEFAULT, ['mine'], DEFAULT]);
    world.drain(0);
    await world.round();
    expect([0, 1, 8].map((id) => world.coverOf(id))).toEqual([[], ['mine'], ['rook-ceph-osd-zone-y']]);
  });

  test.for(['rook-ceph-osd', 'rook-ceph-mon-pdb'])(
    'named %s is neither changed nor deleted',
    async (name) => {
      const world = new DrainWorld();
      const budget = theirs(name, { app: 'web' });
      world.put(budget, aCluster('rook-ceph', { uid: 'cluster', spec: { mon: { count: 3 } } }));
      await world.round();
      world.drain(0);
      await world.round();
      expect(world.objects.get(keyOf(refOf(budget)))).toEqual(budget);
    },
  );
});

describe('of a cluster that is being deleted', () => {
  const doom = (world: DrainWorld): void => {
    const cluster = aCluster('rook-ceph', { uid: 'cluster', spec: { mon: { count: 3 }, mgr: { count: 2 } } });
    const metadata = { ...cluster.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    world.put({ ...cluster, metadata });
  };

  test('OSDs are protected while there are any', async () => {
    const world = new DrainWorld();
    await world.round();
    doom(world);
    world.drain(0);
    await world.round();
    expect(world.coverOf(1)).toEqual(['rook-ceph-osd-zone-y']);
    expect(world.flags).toEqual({ x: ['noout'] });
    world.recover(0);
    await world.round();
    expect(world.coverOf(1)).toEqual(DEFAULT);
    expect(world.flags).toEqual({});
  });

  test('nothing of ours is left after the last of them', async () => {
    const world = new DrainWorld();
    world.drain(0);
    await world.round();
    doom(world);
    for (const id of ZONES.keys()) world.objects.delete(keyOf(refOf(anOsd(id))));
    expect(await world.round()).toEqual({ kind: 'wait-for-change' });
    expect(world.budgets()).toEqual([]);
    expect(world.flags).toEqual({});
    expect(world.writes.at(-1)).toBe('delete rook-deps-disruption');
    world.writes.length = 0;
    await world.round();
    expect(world.writes).toEqual([]);
  });
});

test('an external cluster has no OSDs here, and gets no budgets', async () => {
  const world = new DrainWorld();
  world.put(aCluster('rook-ceph', { spec: { external: { enable: true } } }));
  expect(await world.round()).toEqual({ kind: 'wait-for-change' });
  expect(world.writes).toEqual([]);
});
