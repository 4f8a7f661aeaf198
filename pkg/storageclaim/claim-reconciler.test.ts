import { describe, expect, test } from 'vitest';
import { fieldAt, Kinds, listAt, refOf, ResourceTypes, textAt, type KubeObject } from '#pkg/object';
import { Refusal } from '#test/fakes/fake-cluster.ts';
import { anObject, type Parts } from '#test/fixtures/objects.ts';
import {
  aClaim,
  aComposite,
  aDefinition,
  CLAIM_FINALIZERS,
  CLAIM_REF,
  configMap,
  DELETED,
  listed,
  ownedBy,
  StorageWorld,
  template,
} from '#test/fakes/storage-world.ts';

const ready = [{ type: 'Ready', status: 'True' }];
const free = aComposite([template('a')], {}, { status: { conditions: ready, resources: [listed('a')] } });
const bound = (parts = {}): KubeObject =>
  aComposite(
    [template('a')],
    { claimRef: CLAIM_REF },
    { status: { conditions: ready, resources: [listed('a')] }, ...parts },
  );
const going = (policy: string, status: object = {}): KubeObject =>
  aClaim({ compositeDeletePolicy: policy }, { ...DELETED, finalizers: CLAIM_FINALIZERS, status });

describe('a claim', () => {
  test('takes a free composite: finalizer first, then both sides', async () => {
    const world = new StorageWorld(aClaim(), free);
    await world.reconcile(aClaim());
    expect(world.writes).toEqual([
      'patch StorageClaim/mine',
      'patch StorageComposite/whole',
      'patch status of StorageClaim/mine',
    ]);
    expect(fieldAt(world.at(free), 'spec', 'claimRef')).toMatchObject(CLAIM_REF);
    expect(textAt(world.at(aClaim()), 'status', 'composite', 'uid')).toBe('whole-uid');
    expect(
      listAt(world.at(aClaim()), 'status', 'composite', 'resources').map((part) => textAt(part, 'uid')),
    ).toEqual(['uid-of-a']);
    expect(world.condition(aClaim(), 'Ready')).toBe('True Available');
    await world.reconcile(aClaim());
    expect(world.writes).toHaveLength(3);
  });

  test.for([
    { name: 'that is not there', composite: undefined, reason: 'CompositeNotFound' },
    {
      name: 'of another claim',
      composite: aComposite([], { claimRef: { ...CLAIM_REF, name: 'other' } }),
      reason: 'CompositeClaimed',
    },
    {
      name: 'of an earlier claim of its name',
      composite: aComposite([], { claimRef: { ...CLAIM_REF, uid: 'earlier' } }),
      reason: 'CompositeReleased',
    },
    {
      name: 'that is not for its namespace',
      composite: aComposite([], { claimableFrom: { namespaces: ['there'] } }),
      reason: 'NotClaimable',
    },
    {
      name: 'that is being deleted',
      composite: aComposite([], {}, { ...DELETED, finalizers: ['x/y'] }),
      reason: 'CompositeTerminating',
    },
  ])('does not take a composite $name', async ({ composite, reason }) => {
    const world = new StorageWorld(aClaim(), ...(composite ? [composite] : []));
    await world.reconcile(aClaim());
    expect(world.writes).toEqual(['patch status of StorageClaim/mine']);
    expect(world.condition(aClaim(), 'Ready')).toContain(`False ${reason}`);
  });

  test('takes a composite that is kept for its name', async () => {
    const kept = aComposite([], {
      claimRef: { namespace: 'here', name: 'mine' },
      claimableFrom: { namespaces: ['*'] },
    });
    const world = new StorageWorld(aClaim(), kept);
    await world.reconcile(aClaim());
    expect(textAt(world.at(kept), 'spec', 'claimRef', 'uid')).toBe('mine-uid');
  });

  test('does not take the composite that makes it', async () => {
    const self = { apiVersion: 'rook-deps.io/v1alpha1', kind: 'StorageClaim' };
    const circular = aComposite([template('mine', self)]);
    const world = new StorageWorld(aClaim(), circular);
    await world.reconcile(aClaim());
    expect(world.condition(aClaim(), 'Synced')).toContain('False ComposedByIt');
    expect(world.writes).toEqual(['patch status of StorageClaim/mine']);
  });

  test('loses the race for a composite to whoever wrote first', async () => {
    const world = new StorageWorld(aClaim(), free);
    world.cluster.before = ({ verb, key }) => {
      if (verb !== 'patch' || !key.includes('StorageComposite')) return;
      world.cluster.before = () => undefined;
      world.cluster.put({ ...free, spec: { claimRef: { namespace: 'there', name: 'first', uid: 'first' } } });
    };
    await expect(world.reconcile(aClaim())).rejects.toMatchObject({ status: 409 });
    expect(textAt(world.at(free), 'spec', 'claimRef', 'name')).toBe('first');
  });
});

describe('the Secret of a claim', () => {
  const secret = (name: string, parts: Parts = {}): KubeObject =>
    anObject(Kinds.Secret, name, { namespace: 'here', ...parts });
  const named = aComposite(
    [template('a')],
    { claimRef: CLAIM_REF, connectionSecretRef: { namespace: 'here', name: 'source' } },
    { status: { conditions: ready } },
  );
  const connected = aClaim(
    {},
    { finalizers: CLAIM_FINALIZERS, status: { connection: { secretName: 'mine-connection' } } },
  );

  test('is a copy of the one that the composite names, and stays when that is gone', async () => {
    const world = new StorageWorld(aClaim({}, { finalizers: CLAIM_FINALIZERS }), named, secret('source'));
    await world.reconcile(aClaim());
    const copy = world.at(secret('mine-connection'));
    expect(copy?.metadata.ownerReferences).toMatchObject([{ kind: 'StorageClaim', uid: 'mine-uid' }]);
    world.drop(refOf(secret('source')));
    await world.reconcile(aClaim());
    expect(world.condition(aClaim(), 'Ready')).toContain('False ConnectionPending');
    expect(world.at(secret('mine-connection'))).toEqual(copy);
    expect(textAt(world.at(aClaim()), 'status', 'connection', 'secretName')).toBe('mine-connection');
  });

  test('goes when the composite names none any more, and only its own', async () => {
    const own = { apiVersion: 'rook-deps.io/v1alpha1', kind: 'StorageClaim', name: 'mine', controller: true };
    for (const uid of ['mine-uid', 'another']) {
      const copy = secret('mine-connection', { ownerReferences: [{ ...own, uid }] });
      const world = new StorageWorld(connected, bound(), copy);
      await world.reconcile(aClaim());
      expect(world.cluster.deletions).toHaveLength(uid === 'mine-uid' ? 1 : 0);
      expect(textAt(world.at(aClaim()), 'status', 'connection', 'secretName')).toBeUndefined();
    }
  });

  test('is not written over one that was there before', async () => {
    const world = new StorageWorld(
      aClaim({}, { finalizers: CLAIM_FINALIZERS }),
      named,
      secret('source'),
      secret('mine-connection'),
    );
    await world.reconcile(aClaim());
    expect(world.condition(aClaim(), 'Ready')).toContain('False ConnectionSecretExists');
    expect(world.writes).toEqual(['patch status of StorageClaim/mine']);
  });
});

describe('a claim that is deleted', () => {
  test('C1: tells why its composite cannot be deleted, and stays', async () => {
    const claim = going('Foreground');
    const world = new StorageWorld(claim, bound());
    world.cluster.before = ({ verb }) => {
      if (verb === 'delete') throw new Refusal(409, 'Conflict', 'is in use');
    };
    expect(await world.reconcile(claim)).toMatchObject({ kind: 'look-again' });
    expect(world.condition(claim, 'Synced')).toBe('False DeletionRefused is in use');
    expect(world.at(claim)?.metadata.finalizers).toEqual(CLAIM_FINALIZERS);
    world.cluster.before = ({ verb }) => {
      if (verb === 'delete') throw new Refusal(500, 'InternalError');
    };
    expect(await world.reconcile(claim)).toMatchObject({ kind: 'look-again' });
    expect(world.condition(claim, 'Synced')).toBe('False DeletionRefused InternalError');
  });

  test('C1: writes a refusal once, however often it is met', async () => {
    const claim = going('Foreground');
    const world = new StorageWorld(claim, bound());
    world.cluster.before = ({ verb }) => {
      if (verb === 'delete') throw new Refusal(409, 'Conflict', 'is in use');
    };
    await world.reconcile(claim);
    const { length } = world.writes;
    expect(await world.reconcile(claim)).toMatchObject({ kind: 'look-again' });
    expect(world.writes).toHaveLength(length);
  });

  test('stays for a part that cannot be read, says so, and deletes its composite all the same', async () => {
    const claim = going('Foreground', { composite: { uid: 'whole-uid', resources: [listed('a')] } });
    const world = new StorageWorld(claim, bound({ finalizers: ['foregroundDeletion'] }));
    world.cluster.before = ({ verb, key }) => {
      if (verb === 'get' && key.endsWith('/a')) throw new Refusal(403, 'Forbidden', 'may not be read');
    };
    expect(await world.reconcile(claim)).toMatchObject({ kind: 'look-again' });
    expect(world.condition(claim, 'Ready')).toContain('ConfigMap "here/a" (may not be read)');
    expect(world.writes).toContain('delete StorageComposite/whole');
  });

  test('stays while composites are defined, and not served', async () => {
    const claim = going('Foreground');
    const world = new StorageWorld(claim, aDefinition('rook-deps.io', 'StorageComposite'));
    const served = world.cluster.types.all().filter(({ kind }) => kind !== 'StorageComposite');
    world.cluster.types = new ResourceTypes(served);
    await expect(world.reconcile(claim)).rejects.toThrow('does not have StorageComposite at present');
    world.drop(refOf(aDefinition('rook-deps.io', 'StorageComposite')));
    await world.reconcile(claim);
    expect(world.at(claim)).toBeUndefined();
  });

  test('C2: is tried again when its finalizer cannot be removed', async () => {
    const claim = going('Background');
    const world = new StorageWorld(claim);
    world.cluster.before = ({ verb }) => {
      if (verb === 'patch') throw new Refusal(500, 'InternalError');
    };
    await expect(world.reconcile(claim)).rejects.toMatchObject({ status: 500 });
  });

  test('C3: in the background deletes the composite and goes', async () => {
    const claim = going('Background');
    const world = new StorageWorld(claim, bound({ finalizers: ['x/y'] }));
    expect(await world.reconcile(claim)).toEqual({ kind: 'wait-for-change' });
    expect(world.cluster.deletions.map(({ options }) => options)).toEqual([
      { uid: 'whole-uid', propagationPolicy: 'Background' },
    ]);
    expect(world.at(claim)).toBeUndefined();
  });

  test('C4: in the foreground deletes the composite so, keeps its finalizer, and says first what it waits for', async () => {
    const claim = going('Foreground');
    const world = new StorageWorld(
      claim,
      bound({ finalizers: ['foregroundDeletion'] }),
      configMap('a', ownedBy()),
    );
    await world.reconcile(claim);
    expect(world.writes).toEqual(['patch status of StorageClaim/mine', 'delete StorageComposite/whole']);
    expect(world.cluster.deletions.map(({ options }) => options)).toEqual([
      { uid: 'whole-uid', propagationPolicy: 'Foreground' },
    ]);
    expect(listAt(world.at(claim), 'status', 'waitingFor').map((part) => textAt(part, 'name'))).toEqual([
      'whole',
      'a',
    ]);
    expect(world.condition(claim, 'Ready')).toBe(
      'False Deleting waiting for StorageComposite "whole", ConfigMap "here/a" to be gone',
    );
  });

  test('C5: does not delete a composite that is already going', async () => {
    const claim = going('Foreground');
    const world = new StorageWorld(claim, bound({ ...DELETED, finalizers: ['foregroundDeletion'] }));
    await world.reconcile(claim);
    expect(world.cluster.deletions).toEqual([]);
    expect(world.condition(claim, 'Ready')).toContain('False Deleting');
  });

  test('C6: does not touch a composite that is bound to another', async () => {
    const claim = going('Foreground');
    const other = aComposite([], { claimRef: { ...CLAIM_REF, uid: 'other' } });
    const world = new StorageWorld(claim, other);
    expect(await world.reconcile(claim)).toEqual({ kind: 'wait-for-change' });
    expect(world.cluster.deletions).toEqual([]);
    expect(world.at(claim)).toBeUndefined();
    expect(world.at(other)).toBeDefined();
  });

  test.for([
    { name: 'it was told to wait for', status: { waitingFor: [listed('a')] } },
    { name: 'its composite had', status: { composite: { uid: 'whole-uid', resources: [listed('a')] } } },
  ])('stays for a part that $name, after the composite is gone', async ({ status }) => {
    const claim = going('Foreground', status);
    const world = new StorageWorld(claim, configMap('a', { ...ownedBy(), finalizers: ['x/y'] }));
    await world.reconcile(claim);
    expect(world.condition(claim, 'Ready')).toBe('False Deleting waiting for ConfigMap "here/a" to be gone');
    world.drop(refOf(configMap('a')));
    world.cluster.put(configMap('a', { uid: 'anew' }));
    await world.reconcile(claim);
    expect(world.at(claim)).toBeUndefined();
  });

  test('does not stay for a part that was orphaned, unless that is being deleted', async () => {
    const claim = going('Foreground', { composite: { uid: 'whole-uid', resources: [listed('a')] } });
    const world = new StorageWorld(claim, configMap('a', { ...DELETED, finalizers: ['x/y'] }));
    await world.reconcile(claim);
    expect(world.at(claim)).toBeDefined();
    world.cluster.put(configMap('a'));
    await world.reconcile(claim);
    expect(world.at(claim)).toBeUndefined();
    expect(world.at(configMap('a'))).toBeDefined();
  });

  test('says who else owns a part that it waits for', async () => {
    const claim = going('Foreground', { composite: { uid: 'whole-uid', resources: [listed('a')] } });
    const { ownerReferences } = ownedBy('other-uid', 'other');
    const world = new StorageWorld(claim, configMap('a', { ownerReferences: ownerReferences ?? [] }));
    await world.reconcile(claim);
    expect(world.condition(claim, 'Ready')).toContain(
      'waiting for ConfigMap "here/a" (owned by StorageComposite "other", too) to be gone',
    );
  });

  test('goes at once when its composite was taken from it', async () => {
    const claim = going('Foreground', { composite: { uid: 'whole-uid', resources: [listed('a')] } });
    const world = new StorageWorld(claim, aComposite([template('a')]), configMap('a', ownedBy()));
    await world.reconcile(claim);
    expect(world.at(claim)).toBeUndefined();
    expect(world.cluster.deletions).toEqual([]);
  });

  test('ends the same, wherever it was killed', async () => {
    const claim = going('Foreground');
    const objects = [claim, bound({ finalizers: ['foregroundDeletion'] }), configMap('a', ownedBy())];
    const finish = async (world: StorageWorld): Promise<void> => {
      await world.reconcile(claim);
      world.drop(refOf(configMap('a')));
      world.drop(refOf(bound()));
      await world.reconcile(claim);
    };
    const undisturbed = new StorageWorld(...objects);
    await finish(undisturbed);
    expect(undisturbed.cluster.state()).toEqual([]);
    for (let at = 0; at < undisturbed.cluster.calls.length; at++) {
      const world = new StorageWorld(...objects);
      world.cluster.before = () => {
        if (world.cluster.calls.length !== at) return;
        world.cluster.before = () => undefined;
        throw new Error('killed');
      };
      await finish(world).catch(() => finish(world));
      expect(world.cluster.state()).toEqual([]);
      expect(world.cluster.deletions.length).toBeLessThanOrEqual(1);
    }
  });
});
