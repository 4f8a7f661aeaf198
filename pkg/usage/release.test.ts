import { describe, expect, test } from 'vitest';
import { isRecord, keyOf, Kinds, refOf, ResourceTypes, type ResourceType } from '#pkg/object';
import { Refusal } from '#test/fakes/fake-cluster.ts';
import { aDefinition } from '#test/fakes/storage-world.ts';
import {
  configMap,
  namespace,
  NAMESPACE_REF,
  side,
  SIGNAL,
  selecting,
  USAGE_REF,
  usageObject,
  USED_REF,
  UsageWorld,
  USING_REF,
} from '#test/fakes/usage-world.ts';

const NAMESPACE_TYPE: ResourceType = {
  ...Kinds.PersistentVolume,
  kind: 'Namespace',
  plural: 'namespaces',
  singular: 'namespace',
};
const REASON = { of: side('used'), reason: 'needed' };
const BY = { of: side('used'), by: side('using') };
const TERMINATING = { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['x/y'] };
const WHOLE = { apiVersion: 'example.org/v1', kind: 'Gadget', name: 'whole', uid: 'w', controller: true };

/** A usage in force, whose deletion was then requested. */
async function deleted(
  spec: object,
  metadata: Parameters<typeof usageObject>[1] = {},
  using = configMap('using'),
): Promise<UsageWorld> {
  const world = new UsageWorld(configMap('used'), using, usageObject(spec, metadata));
  await world.reconcile();
  await world.deleteUsage();
  return world;
}

function hasFinalizer(world: UsageWorld): boolean {
  return world.cluster.at(USAGE_REF)?.metadata.finalizers?.includes('rook-deps.io/usage') ?? false;
}

describe('a deleted usage', () => {
  test('U13: whose finalizer cannot be removed fails, and says that it holds nothing', async () => {
    const world = await deleted(REASON);
    world.failOn(({ body }) => JSON.stringify(body ?? {}).includes('finalizers'));
    await expect(world.reconcile()).rejects.toThrow('boom');
    expect(hasFinalizer(world)).toBe(true);
    expect(world.ready()).toBe('False/Released');
  });

  test('U14: whose used object cannot be read keeps its finalizer', async () => {
    const world = await deleted(REASON);
    world.failOn(({ verb, key }) => verb === 'get' && key === keyOf(USED_REF));
    await expect(world.reconcile()).rejects.toThrow('boom');
    expect(hasFinalizer(world)).toBe(true);
  });

  test('U15: whose using object cannot be read keeps its finalizer, and holds', async () => {
    const world = await deleted(BY);
    world.failOn(({ verb, key }) => verb === 'get' && key === keyOf(USING_REF));
    await expect(world.reconcile()).rejects.toThrow('boom');
    expect(hasFinalizer(world)).toBe(true);
    expect(world.isMarked(USED_REF)).toBe(true);
  });

  test('U16: whose using object lives on is released after two seconds', async () => {
    const world = await deleted(BY);
    expect(await world.reconcile()).toEqual({ kind: 'look-again', afterMs: 2000 });
    expect(world.isMarked(USED_REF)).toBe(true);
    await world.clock.advance(1500);
    expect(await world.reconcile()).toEqual({ kind: 'look-again', afterMs: 500 });
    await world.clock.advance(500);
    await world.reconcile();
    expect(world.isMarked(USED_REF)).toBe(false);
    expect(world.cluster.at(USAGE_REF)).toBeUndefined();
    expect(world.cluster.at(USING_REF)).toBeDefined();
  });

  test('U17: that cannot tell what other usages there are fails, and the mark stays', async () => {
    const world = await deleted(REASON);
    world.failOn(({ verb }) => verb === 'list');
    await expect(world.reconcile()).rejects.toThrow('boom');
    expect(hasFinalizer(world)).toBe(true);
    expect(world.isMarked(USED_REF)).toBe(true);
  });

  test('U18: whose mark cannot be removed fails', async () => {
    const world = await deleted(REASON);
    world.failOn(({ body }) => JSON.stringify(body ?? {}).includes('in-use'));
    await expect(world.reconcile()).rejects.toThrow('boom');
    expect(hasFinalizer(world)).toBe(true);
  });

  test('U19: whose used object is gone goes', async () => {
    const world = await deleted(REASON);
    world.cluster.drop(USED_REF);
    await world.reconcile();
    expect(world.cluster.at(USAGE_REF)).toBeUndefined();
    expect(world.isMarked(NAMESPACE_REF)).toBe(false);
  });

  test('U20: that was the only one takes its marks with it', async () => {
    const world = await deleted(REASON);
    await world.reconcile();
    expect(world.cluster.at(USED_REF)?.metadata.labels).toEqual({});
    expect(world.cluster.at(NAMESPACE_REF)?.metadata.labels).toEqual({});
    expect(world.cluster.at(USAGE_REF)).toBeUndefined();
  });

  test('U22: that shares its controller with what uses it waits for the end of that, and writes nothing twice', async () => {
    const using = configMap('using', { ownerReferences: [WHOLE] });
    const world = await deleted(BY, { ownerReferences: [WHOLE] }, using);
    await world.clock.advance(60_000);
    expect(await world.reconcile()).toEqual({ kind: 'wait-for-change' });
    expect(world.ready()).toBe('False/WaitingForUsing');
    expect(world.isMarked(USED_REF)).toBe(true);
    world.cluster.calls.length = 0;
    await world.reconcile();
    expect(world.cluster.writes).toEqual([]);
    world.cluster.drop(USING_REF);
    await world.reconcile();
    expect(world.cluster.at(USAGE_REF)).toBeUndefined();
    expect(world.isMarked(USED_REF)).toBe(false);
  });

  test('that shares a controller which lives on is deleted by itself, so it is released after two seconds', async () => {
    const using = configMap('using', { ownerReferences: [WHOLE] });
    const world = await deleted(BY, { ownerReferences: [WHOLE] }, using);
    world.cluster.put({
      apiVersion: WHOLE.apiVersion,
      kind: WHOLE.kind,
      metadata: { name: 'whole', uid: 'w' },
    });
    await world.reconcile();
    await world.clock.advance(2000);
    await world.reconcile();
    expect(world.cluster.at(USAGE_REF)).toBeUndefined();
  });

  test('is released two seconds after we saw its deletion, whatever the clock of the server says', async () => {
    const world = await deleted(BY);
    await world.clock.advance(300_000);
    expect(await world.reconcile()).toEqual({ kind: 'look-again', afterMs: 2000 });
    await world.clock.advance(2000);
    await world.reconcile();
    expect(world.cluster.at(USAGE_REF)).toBeUndefined();
  });

  test('whose using object we may no longer see says so, and holds', async () => {
    const world = await deleted(BY);
    const why = 'User "c" cannot get resource "configmaps" in API group "" in the namespace "here"';
    world.failOn(({ verb, key }) => verb === 'get' && key === keyOf(USING_REF), new Refusal(403, why));
    await expect(world.reconcile()).rejects.toThrow('cannot get resource');
    expect(world.ready()).toBe('False/Forbidden');
    expect(hasFinalizer(world)).toBe(true);
  });

  test('whose using object we never saw does not wait for the right to see it', async () => {
    const world = new UsageWorld(configMap('used'), usageObject(BY, { finalizers: ['rook-deps.io/usage'] }));
    await world.deleteUsage();
    world.failOn(({ verb, key }) => verb === 'get' && key === keyOf(USING_REF), new Refusal(403, 'no'));
    await world.reconcile();
    expect(world.cluster.at(USAGE_REF)).toBeUndefined();
  });

  test('U22: whose using object is terminating waits for its end', async () => {
    const world = await deleted(BY);
    world.cluster.put(configMap('using', TERMINATING));
    await world.clock.advance(60_000);
    expect(await world.reconcile()).toEqual({ kind: 'wait-for-change' });
    expect(world.isMarked(USED_REF)).toBe(true);
    expect(hasFinalizer(world)).toBe(true);
  });

  test('does not wait for another object that has taken the name of what used it', async () => {
    const world = await deleted(BY);
    world.cluster.put(configMap('using', { ...TERMINATING, uid: 'second' }));
    await world.reconcile();
    expect(world.cluster.at(USAGE_REF)).toBeUndefined();
  });

  test('whose selectors never found anything goes at once', async () => {
    const world = new UsageWorld(usageObject({ of: selecting({ a: 'b' }), by: selecting({ c: 'd' }) }));
    await world.reconcile();
    await world.deleteUsage();
    expect(world.cluster.at(USAGE_REF)).toBeUndefined();
  });

  test('leaves the marks that another usage wants', async () => {
    const world = await deleted(REASON);
    world.cluster.put(configMap('other'));
    world.cluster.put(usageObject({ of: side('other'), reason: 'too' }, { name: 'second' }));
    await world.reconcile();
    expect(world.isMarked(USED_REF)).toBe(false);
    expect(world.isMarked(NAMESPACE_REF)).toBe(true);
  });

  test('leaves the mark to a usage that is made while it goes', async () => {
    const world = await deleted(REASON);
    world.cluster.before = ({ verb, key }) => {
      if (verb !== 'patch' || key !== keyOf(USED_REF)) return;
      world.cluster.before = () => undefined;
      world.cluster.put(usageObject(REASON, { name: 'second' }));
    };
    await world.reconcile();
    expect(world.isMarked(USED_REF)).toBe(true);
    expect(world.cluster.at(USAGE_REF)).toBeUndefined();
  });

  test('and another one, deleted together, leave no mark behind', async () => {
    const second = { ...USAGE_REF, name: 'second' };
    const world = await deleted(REASON);
    world.cluster.put(usageObject(REASON, { name: 'second' }));
    await world.reconcile(second);
    await world.deleteUsage(second);
    await Promise.all([world.reconcile(), world.reconcile(second)]);
    expect(world.isMarked(USED_REF)).toBe(false);
    expect(world.isMarked(NAMESPACE_REF)).toBe(false);
  });

  test('whose kind is gone from the server takes the mark of the namespace with it', async () => {
    const world = await deleted(REASON);
    world.cluster.types = new ResourceTypes([Kinds.Usage, Kinds.ClusterUsage, NAMESPACE_TYPE]);
    await world.reconcile();
    expect(world.isMarked(NAMESPACE_REF)).toBe(false);
    expect(world.cluster.at(USAGE_REF)).toBeUndefined();
  });

  test('waits while the kind of what uses it is defined, and not served', async () => {
    const by = { apiVersion: 'example.org/v1', kind: 'Gadget', resourceRef: { name: 'using' } };
    const gadget = { ...configMap('using'), apiVersion: 'example.org/v1', kind: 'Gadget' };
    const { namespace: _, ...metadata } = gadget.metadata;
    const world = await deleted({ of: side('used'), by }, {}, { ...gadget, metadata });
    const definition = aDefinition('example.org', 'Gadget');
    world.cluster.put(definition);
    world.cluster.types = new ResourceTypes(
      world.cluster.types.all().filter(({ kind }) => kind !== 'Gadget'),
    );
    await expect(world.reconcile()).rejects.toThrow('does not have Gadget at present');
    expect(hasFinalizer(world)).toBe(true);
    world.cluster.drop(refOf(definition));
    await world.reconcile();
    expect(hasFinalizer(world)).toBe(false);
  });

  test('waits when the server does not even know usages: it is just starting', async () => {
    const world = await deleted(REASON);
    world.cluster.types = new ResourceTypes([]);
    await expect(world.reconcile()).rejects.toThrow('the server does not have Usage at present');
    expect(world.isMarked(USED_REF)).toBe(true);
    expect(hasFinalizer(world)).toBe(true);
  });

  test('of ours but without our finalizer is not touched', async () => {
    const world = new UsageWorld(configMap('used'), usageObject(REASON, TERMINATING));
    await world.reconcile();
    expect(world.cluster.writes).toEqual([]);
  });

  test('says that it holds nothing, then unmarks, then repeats the deletion, then goes', async () => {
    const world = await deletedAfterAttempt();
    await world.reconcile();
    expect(steps(world)).toEqual(['released', 'unmark used', 'unmark here', 'delete used', 'finalizer']);
  });
});

const ATTEMPT = {
  time: '2030-01-01T00:00:00.000Z',
  user: { username: 'ada' },
  uid: 'uid-of-used',
  propagationPolicy: 'Foreground',
};

async function deletedAfterAttempt(): Promise<UsageWorld> {
  const world = await deleted({ ...REASON, replayDeletion: true }, {});
  const body = { status: { attempts: [ATTEMPT] } };
  await world.cluster.writer.patch(USAGE_REF, { type: 'merge', body, subresource: 'status' }, SIGNAL);
  world.cluster.calls.length = 0;
  return world;
}

function steps(world: UsageWorld): readonly string[] {
  return world.cluster.writes.map(({ verb, key, body, isStatus }) => {
    const name = key.split('/').at(-1) ?? '';
    if (verb === 'delete') return `delete ${name}`;
    if (isStatus) return isRecord(body) && JSON.stringify(body).includes('released') ? 'released' : 'status';
    return key === keyOf(USAGE_REF) ? 'finalizer' : `unmark ${name}`;
  });
}

/** Runs until the writes are used up, as if the process died then; starts anew until nothing is left to do. */
async function withDeath(world: UsageWorld, writes: number): Promise<number> {
  let left = writes;
  world.cluster.before = ({ verb }) => {
    if (verb !== 'get' && verb !== 'list' && left-- <= 0) throw new Error('dead');
  };
  const hasDied = await world.reconcile().then(
    () => 0,
    () => 1,
  );
  world.cluster.before = () => undefined;
  await world.reconcile();
  await world.reconcile();
  return hasDied;
}

const SITUATIONS: readonly (readonly [string, number, () => Promise<UsageWorld>])[] = [
  [
    'a usage by selectors is taken into force',
    7,
    async () =>
      new UsageWorld(
        configMap('used', { labels: { a: 'b' } }),
        configMap('using', { labels: { c: 'd' } }),
        usageObject({ of: selecting({ a: 'b' }), by: selecting({ c: 'd' }) }),
      ),
  ],
  ['a usage is released and its deletion repeated', 5, deletedAfterAttempt],
  [
    'a usage by an object that is gone is deleted',
    2,
    async () => {
      const world = new UsageWorld(configMap('used'), configMap('using'), usageObject(BY));
      await world.reconcile();
      world.cluster.drop(USING_REF);
      return world;
    },
  ],
  [
    'one of two usages is released',
    3,
    async () => {
      const world = await deleted(REASON);
      world.cluster.put(configMap('other', { namespace: 'there' }));
      world.cluster.put(namespace('there'));
      world.cluster.put(usageObject({ of: side('kept'), reason: 'too' }, { name: 'second' }));
      return world;
    },
  ],
];

describe.each(SITUATIONS)('when %s', (_title, writes, situation) => {
  test(`it takes ${writes} writes`, async () => {
    const world = await situation();
    world.cluster.calls.length = 0;
    await world.reconcile();
    expect(world.cluster.writes).toHaveLength(writes);
  });

  test.each(Array.from({ length: writes }, (_, index) => index))(
    'and the process dies after write %i, the next one finishes',
    async (survived) => {
      const calm = await situation();
      expect(await withDeath(calm, Infinity)).toBe(0);
      const world = await situation();
      expect(await withDeath(world, survived)).toBe(1);
      expect(world.cluster.state()).toEqual(calm.cluster.state());
    },
  );
});
