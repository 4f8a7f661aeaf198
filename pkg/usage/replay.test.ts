import { describe, expect, test } from 'vitest';
import { keyOf, listAt } from '#pkg/object';
import type { Attempt } from '#pkg/protection';
import { Refusal } from '#test/fakes/fake-cluster.ts';
import {
  configMap,
  namespace,
  side,
  SIGNAL,
  USAGE_REF,
  usageObject,
  USED_REF,
  UsageWorld,
} from '#test/fakes/usage-world.ts';

const COLLECTOR = 'system:serviceaccount:kube-system:generic-garbage-collector';
const SELF = 'system:serviceaccount:rook-deps-system:rook-deps-controller';
const NAMESPACES = 'system:serviceaccount:kube-system:namespace-controller';
const SECOND = { ...USAGE_REF, name: 'second' };
const PROTECT = { of: side('used'), reason: 'needed' };
const REPLAY = { ...PROTECT, replayDeletion: true };

function attempt(parts: Partial<Attempt> & { readonly by?: string } = {}): Attempt {
  const { by = 'ada', ...rest } = parts;
  const user = { username: by, groups: ['dev'] };
  return { time: '2030-01-01T00:00:00Z', user, uid: 'uid-of-used', propagationPolicy: 'Orphan', ...rest };
}

/** A usage in force with these attempts, whose deletion was then requested. */
async function deleted(spec: object, ...attempts: readonly Attempt[]): Promise<UsageWorld> {
  const world = new UsageWorld(configMap('used'), usageObject(spec, {}, { attempts }));
  await world.reconcile();
  await world.deleteUsage();
  world.cluster.deletions.length = 0;
  return world;
}

function deletedKeys(world: UsageWorld): readonly string[] {
  return world.cluster.deletions.map(({ key }) => key);
}

describe('a refused deletion', () => {
  test('U21: is repeated with its policy and for its UID when the usage is released', async () => {
    const world = await deleted(REPLAY, attempt());
    await world.reconcile();
    expect(world.cluster.deletions).toEqual([
      { key: keyOf(USED_REF), options: { uid: 'uid-of-used', propagationPolicy: 'Orphan' } },
    ]);
    expect(world.cluster.at(USAGE_REF)).toBeUndefined();
    expect(world.events).toEqual(['DeletionReplayed used']);
  });

  test('is not repeated unless the usage says so', async () => {
    const world = await deleted(PROTECT, attempt());
    await world.reconcile();
    expect(deletedKeys(world)).toEqual([]);
    expect(world.cluster.at(USED_REF)).toBeDefined();
  });

  test('is not repeated when it was asked for more than a day ago', async () => {
    const world = await deleted(REPLAY, attempt({ time: '2029-12-30T23:59:59Z' }));
    await world.reconcile();
    expect(deletedKeys(world)).toEqual([]);
    expect(world.cluster.at(USED_REF)).toBeDefined();
  });

  test('is not repeated against the veto of another usage, whoever is released last', async () => {
    const world = await deleted(REPLAY, attempt({ vetoed: true }));
    await world.reconcile();
    expect(deletedKeys(world)).toEqual([]);
  });

  const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'o' };

  test.for([COLLECTOR, SELF])('of %s is always repeated while no owner of the object stands', async (by) => {
    const world = await deleted(PROTECT, attempt({ by }));
    world.cluster.put(configMap('used', { uid: 'uid-of-used', ownerReferences: [OWNER] }));
    await world.reconcile();
    expect(deletedKeys(world)).toEqual([keyOf(USED_REF)]);
  });

  test.for([
    { name: 'has no owner', ownerReferences: [] },
    { name: 'has an owner that stands', ownerReferences: [OWNER] },
  ])('of our own is not repeated when the object $name', async ({ ownerReferences }) => {
    const world = await deleted(PROTECT, attempt({ by: SELF }));
    world.cluster.put(configMap('used', { uid: 'uid-of-used', ownerReferences }));
    world.cluster.put(configMap('owner', { uid: 'o' }));
    await world.reconcile();
    expect(deletedKeys(world)).toEqual([]);
  });

  test.each([
    ['has no owner any more', [], undefined],
    ['has an owner that stands', [OWNER], configMap('owner', { uid: 'o' })],
    ['has an owner of a kind that nobody knows', [{ ...OWNER, kind: 'Nonsense' }], undefined],
  ])(
    'of the garbage collector is not repeated when the object %s',
    async (_title, ownerReferences, owner) => {
      const world = await deleted(PROTECT, attempt({ by: COLLECTOR }));
      world.cluster.put(configMap('used', { uid: 'uid-of-used', ownerReferences }));
      if (owner) world.cluster.put(owner);
      await world.reconcile();
      expect(deletedKeys(world)).toEqual([]);
      expect(world.cluster.at(USAGE_REF)).toBeUndefined();
    },
  );

  test('of the namespace controller is repeated only while the namespace is terminating', async () => {
    const live = await deleted(PROTECT, attempt({ by: NAMESPACES }));
    await live.reconcile();
    expect(deletedKeys(live)).toEqual([]);
    const going = await deleted(PROTECT, attempt({ by: NAMESPACES }));
    going.cluster.put(namespace('here', { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['x/y'] }));
    await going.reconcile();
    expect(deletedKeys(going)).toEqual([keyOf(USED_REF)]);
  });

  test('is not repeated on another object of the same name', async () => {
    const world = await deleted(REPLAY, attempt());
    world.cluster.put(configMap('used', { uid: 'second' }));
    await world.reconcile();
    expect(deletedKeys(world)).toEqual([]);
    expect(world.cluster.at(USAGE_REF)).toBeUndefined();
  });

  test('is not repeated on an object that is replaced at the last moment', async () => {
    const world = await deleted(REPLAY, attempt());
    world.cluster.before = ({ verb }) => {
      if (verb === 'delete') world.cluster.put(configMap('used', { uid: 'second' }));
    };
    await world.reconcile();
    expect(world.cluster.at(USED_REF)?.metadata.uid).toBe('second');
    expect(world.events).toEqual([]);
    expect(world.cluster.at(USAGE_REF)).toBeUndefined();
  });

  test('is not repeated for who may not delete the object any more', async () => {
    const world = await deleted(REPLAY, attempt());
    world.powerless.add('ada');
    await world.reconcile();
    expect(deletedKeys(world)).toEqual([]);
    expect(world.cluster.at(USAGE_REF)).toBeUndefined();
  });

  test('is asked about for the user who made it, groups and all', async () => {
    const world = await deleted(REPLAY, attempt());
    const asked: unknown[] = [];
    const mayDelete = async (user: unknown): Promise<boolean> => asked.push(user) > 0;
    const { usageReconciler } = await import('./reconciler.ts');
    await usageReconciler({ ...world.ports, mayDelete }).reconcile(USAGE_REF, SIGNAL);
    expect(asked).toEqual([{ username: 'ada', groups: ['dev'] }]);
  });

  test('of several is the last', async () => {
    const first = attempt({ propagationPolicy: 'Foreground' });
    const world = await deleted(REPLAY, first, attempt({ propagationPolicy: 'Background', by: 'bob' }));
    await world.reconcile();
    expect(world.cluster.deletions[0]?.options.propagationPolicy).toBe('Background');
  });

  test('of several is one at the object that is there now', async () => {
    const other = attempt({ propagationPolicy: 'Background', uid: 'another' });
    const world = await deleted(REPLAY, attempt({ propagationPolicy: 'Foreground' }), other);
    await world.reconcile();
    expect(world.cluster.deletions[0]?.options).toEqual({
      uid: 'uid-of-used',
      propagationPolicy: 'Foreground',
    });
  });

  test('is tried again when it fails, and the usage stays until then', async () => {
    const world = await deleted(REPLAY, attempt());
    world.failOn(({ verb }) => verb === 'delete', new Refusal(500, 'InternalError'));
    await expect(world.reconcile()).rejects.toThrow('InternalError');
    expect(world.cluster.at(USAGE_REF)).toBeDefined();
    world.cluster.before = () => undefined;
    await world.reconcile();
    expect(deletedKeys(world)).toEqual([keyOf(USED_REF)]);
    expect(world.cluster.at(USAGE_REF)).toBeUndefined();
  });

  test('waits for the last usage, and is handed over to those that still hold', async () => {
    const world = await deleted(REPLAY, attempt());
    world.cluster.put(usageObject(REPLAY, { name: 'second' }));
    await world.reconcile(SECOND);
    await world.reconcile();
    expect(deletedKeys(world)).toEqual([]);
    expect(listAt(world.cluster.at(SECOND), 'status', 'attempts')).toEqual([attempt()]);
    await world.deleteUsage(SECOND);
    await world.reconcile(SECOND);
    expect(deletedKeys(world)).toContain(keyOf(USED_REF));
  });

  test('of the garbage collector is handed over whatever the usage says', async () => {
    const world = await deleted(PROTECT, attempt({ by: COLLECTOR }));
    world.cluster.put(usageObject(PROTECT, { name: 'second' }));
    await world.reconcile();
    expect(listAt(world.cluster.at(SECOND), 'status', 'attempts')).toHaveLength(1);
  });

  test('handed over to a usage without replay is not repeated', async () => {
    const world = await deleted(REPLAY, attempt());
    world.cluster.put(usageObject(PROTECT, { name: 'second' }));
    await world.reconcile(SECOND);
    await world.reconcile();
    await world.deleteUsage(SECOND);
    await world.reconcile(SECOND);
    expect(deletedKeys(world)).not.toContain(keyOf(USED_REF));
  });

  test('is repeated by the next process when this one ends before it', async () => {
    const world = await deleted(REPLAY, attempt());
    world.failOn(({ verb }) => verb === 'delete', new Error('dead'));
    await expect(world.reconcile()).rejects.toThrow('dead');
    const next = new UsageWorld();
    for (const object of [world.cluster.at(USAGE_REF), world.cluster.at(USED_REF)])
      if (object) next.cluster.put(object);
    await next.reconcile();
    expect(deletedKeys(next)).toEqual([keyOf(USED_REF)]);
  });
});
