import { describe, expect, test } from 'vitest';
import { Kinds, refOf, type KubeObject } from '#pkg/object';
import { deleted, DependentsWorld, FINALIZER } from '#test/fakes/dependents-world.ts';
import { Refusal } from '#test/fakes/fake-cluster.ts';
import { aPool, aRadosNamespace } from '#test/fixtures/objects.ts';

const POOL = aPool('p', { finalizers: ['cephblockpool.ceph.rook.io'] });
const PART = aRadosNamespace('a', 'p');
const DELETED = deleted(POOL, ['cephblockpool.ceph.rook.io', FINALIZER]);
const WAIT = { kind: 'wait-for-change' };

const rookSays = (status: string, message: string, finalizers?: readonly string[]): KubeObject => ({
  ...deleted(POOL, finalizers ?? ['cephblockpool.ceph.rook.io', FINALIZER]),
  status: {
    phase: 'Deleting',
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'DeletionIsBlocked', status, reason: 'Rook', message },
    ],
  },
});

describe('a live resource', () => {
  test('gets the finalizer while something depends on it, and loses it afterwards', async () => {
    const world = new DependentsWorld(POOL, PART);
    await world.reconcile(POOL);
    expect(world.finalizers(POOL)).toEqual(['cephblockpool.ceph.rook.io', FINALIZER]);
    world.cluster.drop(refOf(PART));
    await world.reconcile(POOL);
    expect(world.finalizers(POOL)).toEqual(['cephblockpool.ceph.rook.io']);
  });

  test('causes not one call when all is as it should be', async () => {
    const world = new DependentsWorld(POOL, PART);
    await world.reconcile(POOL);
    world.cluster.calls.length = 0;
    expect(await world.reconcile(POOL)).toEqual(WAIT);
    expect(world.cluster.calls).toEqual([]);
  });

  test('keeps the finalizer until all is known', async () => {
    const world = new DependentsWorld({ ...POOL, metadata: { ...POOL.metadata, finalizers: [FINALIZER] } });
    world.isComplete = false;
    await world.reconcile(POOL);
    expect(world.finalizers(POOL)).toEqual([FINALIZER]);
    world.isComplete = true;
    await world.reconcile(POOL);
    expect(world.finalizers(POOL)).toEqual([]);
  });

  test('looks again while what was seen is not taken in yet, for nobody tells when it is', async () => {
    const world = new DependentsWorld({ ...POOL, metadata: { ...POOL.metadata, finalizers: [FINALIZER] } });
    [world.isComplete, world.isSettled] = [false, false];
    expect(await world.reconcile(POOL)).toEqual({ kind: 'look-again', afterMs: 5_000 });
    world.isSettled = true;
    expect(await world.reconcile(POOL)).toEqual(WAIT);
  });

  test.for([
    { status: 403, events: 1 },
    { status: 422, events: 1 },
    { status: 409, events: 0 },
  ])('tells in an Event what cannot be written to the status: $status', async ({ status, events }) => {
    const world = new DependentsWorld(deleted(POOL), PART);
    world.cluster.before = ({ isStatus }) => {
      if (isStatus) throw new Refusal(status, 'No');
    };
    await expect(world.reconcile(POOL)).rejects.toThrow('No');
    expect(world.events).toHaveLength(events);
  });

  test('that was changed meanwhile is a conflict, and nothing is lost', async () => {
    const world = new DependentsWorld(POOL, PART);
    world.cluster.before = ({ verb }) => {
      if (verb === 'patch') throw new Refusal(409, 'Conflict');
    };
    await expect(world.reconcile(POOL)).rejects.toThrow('Conflict');
    expect(world.finalizers(POOL)).toEqual(['cephblockpool.ceph.rook.io']);
  });
});

describe('a resource that may hold data in Ceph', () => {
  test('has the finalizer, and nobody asks what it holds while it lives', async () => {
    const world = new DependentsWorld(POOL);
    world.dataHolders.set('p', ['img']);
    await world.reconcile(POOL);
    expect(world.finalizers(POOL)).toContain(FINALIZER);
    world.cluster.calls.length = 0;
    expect(await world.reconcile(POOL)).toEqual(WAIT);
    expect(world.cluster.calls).toEqual([]);
  });

  test('is held by what Ceph holds, asked about less and less often, and released without it', async () => {
    const world = new DependentsWorld(DELETED);
    world.dataHolders.set('p', ['img']);
    const waits: number[] = [];
    for (let round = 0; round < 6; round++) {
      const outcome = await world.reconcile(POOL);
      waits.push('afterMs' in outcome ? outcome.afterMs : 0);
    }
    expect(world.message(POOL)).toMatch(/RBDImages: \[img\]$/);
    expect(waits[0]).toBeLessThanOrEqual(5_000);
    expect(waits.at(-1)).toBeGreaterThan(40_000);
    expect(waits.at(-1)).toBeLessThanOrEqual(60_000);
    world.dataHolders.set('p', []);
    await world.reconcile(POOL);
    expect(world.finalizers(POOL)).not.toContain(FINALIZER);
  });
});

describe('a deletion that is under way', () => {
  test('is released only after a look: a cache that knows nothing is not enough', async () => {
    const world = new DependentsWorld(DELETED, PART);
    world.frozen = [DELETED];
    expect(await world.reconcile(DELETED)).toMatchObject({ kind: 'look-again' });
    expect(world.finalizers(DELETED)).toContain(FINALIZER);
    expect(world.condition(DELETED)).toBe('True/ObjectHasDependents');
  });

  test('is held while not everything can be looked at, and says what', async () => {
    const world = new DependentsWorld(DELETED);
    world.refusals = [{ kind: Kinds.PersistentVolume, reason: 'forbidden: no' }];
    expect(await world.reconcile(DELETED)).toMatchObject({ kind: 'look-again' });
    expect(world.condition(DELETED)).toBe('True/DependentsUnknown');
    expect(world.message(DELETED)).toContain('PersistentVolume (forbidden: no)');
    world.refusals = [];
    await world.reconcile(DELETED);
    expect(world.finalizers(DELETED)).not.toContain(FINALIZER);
  });

  test('is told once: neither a second turn nor another process repeats it', async () => {
    const world = new DependentsWorld(DELETED, PART);
    await world.reconcile(DELETED);
    await world.reconcile(DELETED);
    const next = new DependentsWorld(...world.all());
    await next.reconcile(DELETED);
    expect([world.events.length, next.events.length, next.cluster.writes.length]).toEqual([1, 0, 0]);
  });

  test('whose dependents go one by one is not told of each', async () => {
    const parts = Array.from({ length: 20 }, (_, at) => aRadosNamespace(`a${at}`, 'p'));
    const world = new DependentsWorld(DELETED, ...parts, PART);
    await world.reconcile(DELETED);
    for (const part of parts) {
      world.cluster.drop(refOf(part));
      await world.clock.advance(500);
      await world.reconcile(DELETED);
    }
    expect(world.cluster.writes.length).toBeLessThanOrEqual(3);
    expect(world.events).toHaveLength(1);
    await world.clock.advance(60_000);
    await world.reconcile(DELETED);
    expect(world.message(DELETED)).toMatch(/: \[rook-ceph\/a\]$/);
    expect(world.events).toHaveLength(2);
  });

  test('is not fought over with who takes the condition off again and again', async () => {
    const world = new DependentsWorld(DELETED, PART);
    for (let round = 0; round < 30; round++) {
      await world.reconcile(DELETED);
      world.cluster.put({ ...(world.at(DELETED) as KubeObject), status: { phase: 'Progressing' } });
      await world.clock.advance(1_000);
    }
    expect(world.cluster.writes).toHaveLength(1);
  });
});

describe('a resource that somebody forces out', () => {
  const annotations = { 'rook-deps.io/force-delete': 'fire' };

  test('loses the finalizer, before its deletion as after', async () => {
    for (const object of [POOL, DELETED]) {
      const finalizers = [FINALIZER, 'cephblockpool.ceph.rook.io'];
      const forced = { ...object, metadata: { ...object.metadata, annotations, finalizers } };
      const world = new DependentsWorld(forced, PART);
      await world.reconcile(forced);
      expect(world.finalizers(forced)).toEqual(['cephblockpool.ceph.rook.io']);
      expect(world.condition(forced)).toBeUndefined();
    }
  });
});

describe('where Rook reports the block itself', () => {
  test('and names all, nothing is added', async () => {
    const object = rookSays('True', 'will not be deleted until: CephBlockPoolRadosNamespaces: [a]');
    const world = new DependentsWorld(object, PART);
    await world.reconcile(object);
    expect(world.cluster.writes).toEqual([]);
  });

  test.for(['Others: [x]', 'Others: [a]', 'CephBlockPoolRadosNamespaces: [aa b-a]'])(
    'but not all who block it, they are added beside: %s',
    async (words) => {
      const object = rookSays('True', `will not be deleted until: ${words}`);
      const world = new DependentsWorld(object, PART);
      await world.reconcile(object);
      expect(world.message(object)).toContain(words);
      expect(world.condition(object, 'rook-deps.io/DeletionIsBlocked')).toBe('True/ObjectHasDependents');
      expect(world.condition(object, 'Ready')).toBe('True/undefined');
      world.cluster.drop(refOf(PART));
      await world.reconcile(object);
      expect(world.condition(object, 'rook-deps.io/DeletionIsBlocked')).toBeUndefined();
    },
  );

  test('and denies it while it is at work, its word is left, and ours stands beside', async () => {
    const object = rookSays('False', 'no dependents');
    const world = new DependentsWorld(object, PART);
    await world.reconcile(object);
    expect(world.condition(object)).toBe('False/Rook');
    expect(world.condition(object, 'rook-deps.io/DeletionIsBlocked')).toBe('True/ObjectHasDependents');
  });

  test('and denied it before it finished, the truth takes its place', async () => {
    const object = rookSays('False', 'no dependents', [FINALIZER]);
    const world = new DependentsWorld(object, PART);
    await world.reconcile(object);
    expect(world.condition(object)).toBe('True/ObjectHasDependents');
  });
});
