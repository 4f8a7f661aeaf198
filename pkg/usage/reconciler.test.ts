import { describe, expect, test } from 'vitest';
import { fieldAt, keyOf, ResourceTypes } from '#pkg/object';
import { Refusal } from '#test/fakes/fake-cluster.ts';
import {
  configMap,
  FINALIZED,
  MARKED,
  NAMESPACE_REF,
  side,
  USAGE_REF,
  usageObject,
  USED_REF,
  UsageWorld,
  USING_REF,
  writesTo,
} from '#test/fakes/usage-world.ts';

const REASON = { of: side('used'), reason: 'needed' };
const BY = { of: side('used'), by: side('using') };
const WAIT = { kind: 'wait-for-change' };

function bodyHas(field: string) {
  return ({ body }: { readonly body?: unknown }) => JSON.stringify(body ?? {}).includes(field);
}

describe('a live usage', () => {
  test('U1: that is missing is left alone', async () => {
    const world = new UsageWorld();
    expect(await world.reconcile()).toEqual(WAIT);
    expect(world.cluster.writes).toEqual([]);
  });

  test('U2: with a malformed apiVersion is not ready, and nothing of that kind is touched', async () => {
    const of = side('used', { apiVersion: '/invalid/' });
    const world = new UsageWorld(configMap('used'), usageObject({ of, reason: 'needed' }));
    await world.reconcile();
    expect(world.ready()).toBe('False/UnknownKind');
    expect(world.message()).toContain('/invalid/');
    expect(world.isMarked(USED_REF)).toBe(false);
  });

  test('U4: whose finalizer cannot be added fails before the used object is touched', async () => {
    const world = new UsageWorld(configMap('used'), usageObject(REASON));
    world.failOn(bodyHas('finalizers'));
    await expect(world.reconcile()).rejects.toThrow('boom');
    expect(world.isMarked(USED_REF)).toBe(false);
    expect(world.cluster.writes).toEqual([]);
  });

  test('U5: whose details cannot be written fails', async () => {
    const world = new UsageWorld(configMap('used'), usageObject(REASON));
    world.failOn(bodyHas('details'));
    await expect(world.reconcile()).rejects.toThrow('boom');
    expect(fieldAt(world.cluster.at(USAGE_REF), 'status')).toEqual({});
  });

  test('U6: whose used object cannot be read fails, for unknown is not absent', async () => {
    const world = new UsageWorld(configMap('used'), usageObject(REASON));
    world.failOn(({ verb, key }) => verb === 'get' && key === keyOf(USED_REF));
    await expect(world.reconcile()).rejects.toThrow('boom');
    expect(world.ready()).toBe('undefined/undefined');
  });

  test('U6: whose used object does not exist is not ready', async () => {
    const world = new UsageWorld(usageObject(REASON));
    expect(await world.reconcile()).toEqual(WAIT);
    expect(world.ready()).toBe('False/UsedNotFound');
    expect(world.isMarked(NAMESPACE_REF)).toBe(false);
  });

  test('X9: whose used object is gone lets go of the namespace that was marked for it', async () => {
    const world = new UsageWorld(configMap('used'), usageObject(REASON));
    await world.reconcile();
    expect(world.isMarked(NAMESPACE_REF)).toBe(true);
    world.cluster.drop(USED_REF);
    await world.reconcile();
    expect(world.ready()).toBe('False/UsedNotFound');
    expect(world.isMarked(NAMESPACE_REF)).toBe(false);
  });

  test('X9: whose used object is gone leaves the namespace to another usage, and does not keep it from one', async () => {
    const other = { ...USAGE_REF, name: 'other' };
    const world = new UsageWorld(
      configMap('used'),
      configMap('kept'),
      usageObject(REASON),
      usageObject({ of: side('kept'), reason: 'needed' }, { name: 'other' }),
    );
    await world.reconcile();
    await world.reconcile(other);
    world.cluster.drop(USED_REF);
    await world.reconcile();
    expect(world.isMarked(NAMESPACE_REF)).toBe(true);
    await world.deleteUsage(other);
    await world.reconcile(other);
    expect(world.isMarked(NAMESPACE_REF)).toBe(false);
  });

  test('U7: whose used object cannot be marked fails', async () => {
    const world = new UsageWorld(configMap('used'), usageObject(REASON));
    world.failOn(bodyHas('in-use'));
    await expect(world.reconcile()).rejects.toThrow('boom');
    expect(world.ready()).toBe('undefined/undefined');
  });

  test('U7: that lacks the right to mark says which command grants it, and fails to be tried again', async () => {
    const world = new UsageWorld(configMap('used'), usageObject(REASON));
    const why = 'User "us" cannot patch resource "configmaps" in API group ""';
    world.failOn(bodyHas('in-use'), new Refusal(403, 'Forbidden', why));
    await expect(world.reconcile()).rejects.toThrow(why);
    expect(world.ready()).toBe('False/Forbidden');
    expect(world.message()).toBe(`${why} (grant it: kubectl rook-deps install --grant configmaps)`);
  });

  test.each([400, 403, 422])(
    'U4, U7, U9: that a policy is against (%i) says so without a word of grants, and writes it once',
    async (code) => {
      for (const field of ['finalizers', 'in-use', 'ownerReferences']) {
        const world = new UsageWorld(configMap('used'), configMap('using'), usageObject(BY));
        world.failOn(bodyHas(field), new Refusal(code, '', 'banned'));
        await expect(world.reconcile()).rejects.toThrow('banned');
        expect([world.ready(), world.message()]).toEqual(['False/Forbidden', 'banned']);
        const { length } = world.cluster.writes;
        await expect(world.reconcile()).rejects.toThrow('banned');
        expect(world.cluster.writes).toHaveLength(length);
      }
    },
  );

  test('U8: whose using object cannot be read fails', async () => {
    const world = new UsageWorld(configMap('used'), configMap('using'), usageObject(BY));
    world.failOn(({ verb, key }) => verb === 'get' && key === keyOf(USING_REF));
    await expect(world.reconcile()).rejects.toThrow('boom');
  });

  test('U8: whose using object does not exist is not ready, and holds all the same', async () => {
    const world = new UsageWorld(configMap('used'), usageObject(BY));
    await world.reconcile();
    expect(world.ready()).toBe('False/UsingNotFound');
    expect(world.isMarked(USED_REF)).toBe(true);
  });

  test('U9: that cannot be tied to what uses it fails', async () => {
    const world = new UsageWorld(configMap('used'), configMap('using'), usageObject(BY));
    world.failOn(bodyHas('ownerReferences'));
    await expect(world.reconcile()).rejects.toThrow('boom');
    expect(world.ready()).toBe('undefined/undefined');
  });

  test('U10: of two objects that exist is owned by the one and ready', async () => {
    const world = new UsageWorld(configMap('used'), configMap('using'), usageObject(BY));
    await world.reconcile();
    expect(world.cluster.at(USAGE_REF)).toMatchObject({
      metadata: {
        finalizers: FINALIZED,
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'using', uid: 'uid-of-using' }],
      },
      status: {
        of: { uid: 'uid-of-used' },
        by: { uid: 'uid-of-using' },
        details: 'ConfigMap/using uses ConfigMap/used',
      },
    });
    expect(world.cluster.at(USAGE_REF)?.metadata.ownerReferences?.[0]).not.toHaveProperty('controller');
    expect(world.cluster.at(USAGE_REF)?.metadata.ownerReferences?.[0]).not.toHaveProperty(
      'blockOwnerDeletion',
    );
    expect(world.ready()).toBe('True/Available');
  });

  test('U11: with two owners, its mark and its status is written nothing', async () => {
    const composite = {
      apiVersion: 'example.org/v1',
      kind: 'Gadget',
      name: 'whole',
      uid: 'w',
      controller: true,
    };
    const world = new UsageWorld(
      configMap('used'),
      configMap('using'),
      usageObject(BY, { ownerReferences: [composite] }),
    );
    await world.reconcile();
    expect(world.cluster.at(USAGE_REF)?.metadata.ownerReferences).toHaveLength(2);
    world.cluster.calls.length = 0;
    await world.reconcile();
    expect(world.cluster.writes).toEqual([]);
  });

  test('U12: with a reason only marks what is used, and has no owner', async () => {
    const world = new UsageWorld(configMap('used'), usageObject(REASON));
    await world.reconcile();
    expect(world.cluster.at(USED_REF)?.metadata.labels).toEqual(MARKED);
    expect(world.isMarked(NAMESPACE_REF)).toBe(true);
    expect(world.cluster.at(USAGE_REF)?.metadata).not.toHaveProperty('ownerReferences');
    expect(world.ready()).toBe('True/Available');
  });

  test('of an object that is terminating says that it comes too late', async () => {
    const used = configMap('used', { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['x/y'] });
    const world = new UsageWorld(used, usageObject(REASON));
    await world.reconcile();
    expect(world.ready()).toBe('False/AlreadyTerminating');
  });

  test('takes its finalizer before it marks', async () => {
    const world = new UsageWorld(configMap('used'), usageObject(REASON));
    await world.reconcile();
    const keys = world.cluster.writes.map(({ key, isStatus }) => `${key}${isStatus ? '/status' : ''}`);
    expect(keys).toEqual([
      keyOf(USAGE_REF),
      keyOf(USED_REF),
      keyOf(NAMESPACE_REF),
      `${keyOf(USAGE_REF)}/status`,
    ]);
  });

  test('marks the definition of a custom resource', async () => {
    const definition = {
      group: 'apiextensions.k8s.io',
      kind: 'CustomResourceDefinition',
      name: 'gadgets.example.org',
    };
    const world = new UsageWorld(
      { apiVersion: 'apiextensions.k8s.io/v1', kind: definition.kind, metadata: { name: definition.name } },
      { apiVersion: 'example.org/v1', kind: 'Gadget', metadata: { name: 'used' } },
      usageObject({ of: side('used', { apiVersion: 'example.org/v1', kind: 'Gadget' }), reason: 'needed' }),
    );
    await world.reconcile();
    expect(world.isMarked(definition)).toBe(true);
    expect(world.isMarked(NAMESPACE_REF)).toBe(false);
  });

  test('marks an object that has been replaced under its name, and says so', async () => {
    const world = new UsageWorld(configMap('used'), usageObject(REASON));
    await world.reconcile();
    world.cluster.put(configMap('used', { uid: 'second' }));
    await world.reconcile();
    expect(world.isMarked(USED_REF)).toBe(true);
    expect(fieldAt(world.cluster.at(USAGE_REF), 'status', 'of', 'uid')).toBe('second');
  });

  test('is deleted once what used it is gone', async () => {
    const world = new UsageWorld(configMap('used'), configMap('using'), usageObject(BY));
    await world.reconcile();
    world.cluster.drop(USING_REF);
    await world.reconcile();
    expect(world.cluster.deletions).toEqual([{ key: keyOf(USAGE_REF), options: { uid: 'uid-of-usage' } }]);
  });

  test('is deleted once another object has taken the name of what used it, whose UID is not taken over', async () => {
    const world = new UsageWorld(configMap('used'), configMap('using'), usageObject(BY));
    await world.reconcile();
    world.cluster.put(configMap('using', { uid: 'second' }));
    await world.reconcile();
    expect(world.cluster.deletions).toHaveLength(1);
    expect(fieldAt(world.cluster.at(USAGE_REF), 'status', 'by', 'uid')).toBe('uid-of-using');
  });

  test('by an object of another namespace has no owner, for the garbage collector would delete it', async () => {
    const by = side('using', { resourceRef: { name: 'using', namespace: 'there' } });
    const world = new UsageWorld(
      configMap('used'),
      configMap('using', { namespace: 'there' }),
      usageObject({ of: side('used'), by }),
    );
    await world.reconcile();
    expect(world.ready()).toBe('True/Available');
    expect(world.cluster.at(USAGE_REF)?.metadata).not.toHaveProperty('ownerReferences');
  });

  test('of a kind that the server does not have is not ready', async () => {
    const world = new UsageWorld(configMap('used'), usageObject(REASON));
    world.cluster.types = new ResourceTypes([]);
    await world.reconcile();
    expect(world.ready()).toBe('False/UnknownKind');
    expect(writesTo(world, USED_REF)).toEqual([]);
  });

  test('that was changed meanwhile is a conflict, not overwritten', async () => {
    const world = new UsageWorld(configMap('used'), usageObject(REASON));
    world.cluster.before = ({ verb, key }) => {
      if (verb !== 'patch' || key !== keyOf(USAGE_REF)) return;
      world.cluster.before = () => undefined;
      world.cluster.put(usageObject(REASON, { finalizers: ['x/y'] }));
    };
    await expect(world.reconcile()).rejects.toMatchObject({ status: 409 });
    await world.reconcile();
    expect(world.cluster.at(USAGE_REF)?.metadata.finalizers).toEqual(['x/y', ...FINALIZED]);
  });
});
