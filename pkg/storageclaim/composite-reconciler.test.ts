import { describe, expect, test } from 'vitest';
import { keyOf, listAt, refOf, ResourceTypes, textAt, type KubeObject } from '#pkg/object';
import { Refusal } from '#test/fakes/fake-cluster.ts';
import {
  aComposite,
  configMap,
  DELETED,
  listed,
  ownedBy,
  StorageWorld,
  template,
} from '#test/fakes/storage-world.ts';
import { parseComposite } from './composite.ts';

const whole = aComposite([template('a'), template('b')]);

describe('a composite', () => {
  test('records what it is about to make before it makes anything', async () => {
    const world = new StorageWorld(whole);
    await world.reconcile(whole);
    expect(world.writes).toEqual([
      'patch status of StorageComposite/whole',
      'apply ConfigMap/a',
      'apply ConfigMap/b',
      'patch status of StorageComposite/whole',
    ]);
    expect(world.condition(whole, 'Ready')).toBe('True Available');
    expect(world.condition(whole, 'Synced')).toBe('True Applied');
  });

  test('writes nothing at rest', async () => {
    const world = new StorageWorld(whole);
    await world.reconcile(whole);
    const before = world.writes.length;
    await world.reconcile(whole);
    expect(world.writes).toHaveLength(before);
  });

  test('ends the same, wherever it was killed', async () => {
    const undisturbed = new StorageWorld(whole);
    await undisturbed.reconcile(whole);
    for (let at = 0; at < undisturbed.cluster.calls.length; at++) {
      const world = new StorageWorld(whole);
      world.cluster.before = () => {
        if (world.cluster.calls.length === at) throw new Error('killed');
      };
      await expect(world.reconcile(whole)).rejects.toThrow('killed');
      world.cluster.before = () => undefined;
      await world.reconcile(whole);
      expect(world.cluster.state()).toEqual(undisturbed.cluster.state());
    }
  });

  test('applies the rest when one template cannot be', async () => {
    const broken = aComposite([template('a'), template('b', { kind: 'Nothing' })]);
    const world = new StorageWorld(broken);
    expect(await world.reconcile(broken)).toMatchObject({ kind: 'look-again' });
    expect(world.condition(broken, 'Synced')).toMatch(/^False UnknownKind template "b": kind: the server/);
    expect(world.at(configMap('a'))).toBeDefined();
  });

  test('keeps a part whose template can no longer be understood', async () => {
    const broken = aComposite(
      [template('a', { kind: 'Nothing' })],
      {},
      { status: { resources: [listed('a')] } },
    );
    const world = new StorageWorld(broken, configMap('a', ownedBy()));
    await world.reconcile(broken);
    expect(world.at(configMap('a'))?.metadata.deletionTimestamp).toBeUndefined();
    expect(listAt(world.at(broken), 'status', 'resources')).toHaveLength(1);
  });

  test('reports a refusal of the server with the command that grants the right', async () => {
    const world = new StorageWorld(whole);
    world.cluster.before = ({ verb, key }) => {
      if (verb === 'apply' && key.endsWith('/a'))
        throw new Refusal(403, 'Forbidden', 'User "us" cannot patch resource "configmaps"');
    };
    await world.reconcile(whole);
    expect(world.condition(whole, 'Synced')).toBe(
      'False Forbidden ConfigMap "here/a": User "us" cannot patch resource "configmaps" (grant it: kubectl rook-deps install --compose configmaps)',
    );
    expect(world.at(configMap('b'))).toBeDefined();
  });

  test.for([
    {
      status: 404,
      message: 'namespaces "here" not found',
      reason: 'NamespaceNotFound',
      hint: ' (make it: kubectl create namespace here)',
    },
    { status: 403, message: 'namespace here because it is being terminated', reason: 'Rejected' },
    { status: 409, message: 'admission webhook "w" denied the request: no', reason: 'Rejected' },
    { status: 422, message: 'is invalid', reason: 'Rejected' },
  ])(
    'says what the server has against a part: $status $message',
    async ({ status, message, reason, hint = '' }) => {
      const world = new StorageWorld(whole);
      world.cluster.before = ({ verb, key }) => {
        if (verb === 'apply' && key.endsWith('/a')) throw new Refusal(status, '', message);
      };
      expect(await world.reconcile(whole)).toMatchObject({ kind: 'look-again' });
      expect(world.condition(whole, 'Synced')).toBe(`False ${reason} ConfigMap "here/a": ${message}${hint}`);
      expect(world.at(configMap('b'))).toBeDefined();
    },
  );

  test('gives back what somebody else made at the very moment', async () => {
    const world = new StorageWorld(whole);
    world.cluster.before = ({ verb, key }) => {
      if (verb !== 'apply' || !key.endsWith('/a')) return;
      world.cluster.put(configMap('a', { managedFields: [{ manager: 'kubectl', operation: 'Apply' }] }));
    };
    await world.reconcile(whole);
    expect(world.at(configMap('a'))?.metadata.ownerReferences).toEqual([]);
    expect(world.condition(whole, 'Synced')).toContain('was made by somebody else at the same moment');
  });

  test('does not make a part again that went with it', async () => {
    const known = aComposite(
      [template('a')],
      {},
      { status: { resources: [listed('a')], observedGeneration: 0 } },
    );
    const world = new StorageWorld(known);
    world.cluster.before = ({ verb, key }) => {
      if (verb === 'get' && key.endsWith('/a')) world.drop(refOf(known));
    };
    await world.reconcile(known);
    expect(world.writes.filter((write) => write.startsWith('apply'))).toEqual([]);
  });

  test('does not take back what has lost its owner, whether it was its own or not', async () => {
    const known = aComposite(
      [template('a'), template('b')],
      {},
      { status: { resources: [listed('a'), listed('b', 'x')] } },
    );
    const world = new StorageWorld(known, configMap('a'), configMap('b'));
    await world.reconcile(known);
    expect(world.at(configMap('a'))?.metadata.ownerReferences).toBeUndefined();
    expect(world.at(configMap('b'))?.metadata.ownerReferences).toBeUndefined();
    const synced = world.condition(known, 'Synced');
    expect(synced).toContain('False NotOurs ConfigMap "here/a": has lost its owner reference');
    expect(synced).toContain('ConfigMap "here/b": was there before');
  });

  test.for([
    { name: 'orphaned', change: { ownerReferences: [] } },
    { name: 'gone', change: undefined },
  ])('does not own a part again that is $name when it is to be put right', async ({ change }) => {
    const known = aComposite([template('a')], {}, { status: { resources: [listed('a')] } });
    const world = new StorageWorld(known, configMap('a', ownedBy()));
    world.cluster.before = ({ verb }) => {
      if (verb !== 'apply') return;
      world.cluster.before = () => undefined;
      if (change) world.cluster.put(configMap('a', change));
      else world.drop(refOf(configMap('a')));
    };
    await expect(world.reconcile(known)).rejects.toMatchObject({ status: 409 });
    expect(world.at(configMap('a'))?.metadata.ownerReferences ?? []).toEqual([]);
  });
});

describe('an entry that was removed', () => {
  const shrunk = aComposite([template('a')], {}, { status: { resources: [listed('a'), listed('b')] } });
  const kept = configMap('a', ownedBy());

  test('G1: with a foreign controller is an error, and not deleted', async () => {
    const world = new StorageWorld(shrunk, kept, configMap('b', ownedBy('other-uid', 'other')));
    await world.reconcile(shrunk);
    expect(world.cluster.deletions).toEqual([]);
    expect(world.condition(shrunk, 'Synced')).toBe(
      'False NotOurs ConfigMap "here/b": is controlled by StorageComposite "other", so it is not deleted',
    );
  });

  test('G2: without a controller is skipped', async () => {
    const world = new StorageWorld(shrunk, kept, configMap('b'));
    await world.reconcile(shrunk);
    expect(world.cluster.deletions).toEqual([]);
    expect(world.condition(shrunk, 'Synced')).toBe('True Applied');
    expect(listAt(world.at(shrunk), 'status', 'resources')).toHaveLength(1);
  });

  test('G3: of ours loses its label and is deleted in the foreground, with its UID', async () => {
    const labels = { 'rook-deps.io/composite': 'whole', more: 'theirs' };
    const ours = configMap('b', { ...ownedBy(), labels, finalizers: ['x/y'] });
    const world = new StorageWorld(shrunk, kept, ours);
    await world.reconcile(shrunk);
    expect(world.at(ours)?.metadata.labels).toEqual({ more: 'theirs' });
    expect(world.cluster.deletions.map(({ options }) => options)).toMatchObject([
      { uid: 'uid-of-b', propagationPolicy: 'Foreground' },
    ]);
    await world.reconcile(shrunk);
    expect(world.cluster.deletions).toHaveLength(1);
    world.drop(refOf(ours));
    await world.reconcile(shrunk);
    expect(listAt(world.at(shrunk), 'status', 'resources')).toHaveLength(1);
  });

  test('G4: what is wanted is left as it is', async () => {
    const world = new StorageWorld(shrunk, kept);
    await world.reconcile(shrunk);
    expect(world.cluster.deletions).toEqual([]);
    expect(textAt(listAt(world.at(shrunk), 'status', 'resources')[0], 'name')).toBe('a');
  });

  test('and refused stays listed, with the words of the refusal', async () => {
    const world = new StorageWorld(shrunk, kept, configMap('b', ownedBy()));
    world.cluster.before = ({ verb }) => {
      if (verb === 'delete') throw new Refusal(409, 'Conflict', 'denied the request: is in use');
    };
    await world.reconcile(shrunk);
    expect(world.condition(shrunk, 'Synced')).toContain(
      'False DeletionRefused ConfigMap "here/b" cannot be deleted: denied the request: is in use',
    );
  });

  test('and taken over by somebody in the very moment is not deleted', async () => {
    const world = new StorageWorld(shrunk, kept, configMap('b', ownedBy()));
    world.cluster.before = ({ verb }) => {
      if (verb === 'delete') world.cluster.put(configMap('b', ownedBy('other-uid', 'other')));
    };
    await expect(world.reconcile(shrunk)).rejects.toMatchObject({ status: 409 });
    expect(world.cluster.deletions).toEqual([]);
  });
});

describe('a composite that goes', () => {
  const going = (finalizer: string) =>
    aComposite(
      [template('a')],
      {},
      { ...DELETED, finalizers: [finalizer], status: { resources: [listed('a'), listed('b')] } },
    );

  test('in the foreground is helped along: what it owns alone is deleted', async () => {
    const { ownerReferences = [] } = ownedBy();
    const more = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'other-uid' };
    const shared = configMap('b', { ownerReferences: [...ownerReferences, more] });
    const world = new StorageWorld(going('foregroundDeletion'), configMap('a', ownedBy()), shared);
    await world.reconcile(going('foregroundDeletion'));
    expect(world.writes).toEqual(['delete ConfigMap/a']);
  });

  test('leaves what is orphaned in the very moment', async () => {
    const world = new StorageWorld(going('foregroundDeletion'), configMap('a', ownedBy()));
    world.cluster.before = ({ verb }) => {
      if (verb === 'delete') world.cluster.put(configMap('a', { ownerReferences: [] }));
    };
    await world.reconcile(going('foregroundDeletion'));
    expect(world.cluster.deletions).toEqual([]);
  });

  test('and meets a refusal looks again', async () => {
    const world = new StorageWorld(going('foregroundDeletion'), configMap('a', ownedBy()));
    world.cluster.before = ({ verb }) => {
      if (verb === 'delete') throw new Refusal(409, 'Conflict', 'is in use');
    };
    expect(await world.reconcile(going('foregroundDeletion'))).toEqual({
      kind: 'look-again',
      afterMs: 2_000,
    });
  });

  describe('and is gone', () => {
    const departed = { uid: 'whole-uid', parts: parseComposite(going('orphan')).parts, sinceMs: 0 };
    const left = (...objects: readonly KubeObject[]): StorageWorld => {
      const world = new StorageWorld(configMap('a', ownedBy()), ...objects);
      world.departed.set(keyOf(refOf(whole)), departed);
      return world;
    };

    test('has its parts deleted, with those that came under its name kept', async () => {
      const world = left(aComposite([], {}, { uid: 'other-uid' }), configMap('b', ownedBy('other-uid')));
      await world.reconcile(whole);
      expect(world.cluster.deletions.map(({ key }) => key)).toEqual(['/ConfigMap/here/a']);
    });

    test('keeps them while it stands after all', async () => {
      const world = left(aComposite([template('a')]));
      await world.reconcile(whole);
      expect(world.cluster.deletions).toEqual([]);
      expect(world.departed.size).toBe(0);
    });

    test('keeps them while nobody can tell, because composites are not served', async () => {
      const world = left();
      const served = world.cluster.types.all().filter(({ kind }) => kind !== 'StorageComposite');
      world.cluster.types = new ResourceTypes(served);
      await expect(world.reconcile(whole)).rejects.toThrow('does not have StorageComposite at present');
      expect(world.cluster.deletions).toEqual([]);
    });
  });

  test('and orphans is left to the garbage collector', async () => {
    const world = new StorageWorld(going('orphan'), configMap('a', ownedBy()));
    await world.reconcile(going('orphan'));
    expect(world.writes).toEqual([]);
  });
});
