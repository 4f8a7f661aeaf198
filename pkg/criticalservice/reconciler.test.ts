import { describe, expect, test } from 'vitest';
import { fieldAt, listAt, textAt } from '#pkg/object';
import type { Attempt } from '#pkg/protection';
import {
  CriticalWorld,
  deploymentObject,
  HOME_REF,
  KEYS,
  poolObject,
  POOLS,
  PROVIDER_REF,
  SERVICE_REF,
  serviceObject,
} from '#test/fakes/critical-world.ts';
import { Refusal } from '#test/fakes/fake-cluster.ts';
import { SIGNAL } from '#test/fakes/usage-world.ts';
import type { Standing } from './criteria.ts';
import type { Criterion } from './critical-service.ts';
import type { CriticalServicePorts } from './holding.ts';
import { criticalServiceReconciler } from './reconciler.ts';

const REPLAY = { replayDeletion: true };
const POOL_REF = { group: 'ceph.rook.io', kind: 'CephBlockPool', namespace: 'there', name: 'pool' };

function attemptAt(uid: string, username = 'ada'): Attempt {
  return { time: '2030-01-01T00:00:00Z', user: { username }, uid, propagationPolicy: 'Foreground' };
}

const ATTEMPTS = ['uid-of-server', 'uid-of-here', 'uid-of-service'].map((uid) => attemptAt(uid));

describe('a service in force', () => {
  test('is finalized, marks its provider and the namespace, and says how things stand', async () => {
    const world = new CriticalWorld(deploymentObject(), poolObject(), serviceObject());
    await world.reconcile();
    expect([world.isMarked(PROVIDER_REF), world.isMarked(HOME_REF)]).toEqual([true, true]);
    expect(world.cluster.at(SERVICE_REF)?.metadata.finalizers).toEqual(['rook-deps.io/critical-service']);
    expect([world.condition('Ready'), world.condition('Satisfied')]).toEqual([
      'True/Protected',
      'False/CriteriaNotMet',
    ]);
  });

  test('writes nothing when nothing has changed', async () => {
    const world = new CriticalWorld(deploymentObject(), poolObject(), serviceObject());
    await world.reconcile();
    world.cluster.calls.length = 0;
    await world.reconcile();
    expect(world.cluster.writes).toEqual([]);
  });

  test('says no more of many criteria than its status takes, and then writes nothing', async () => {
    const criteria = Array.from({ length: 64 }, () => POOLS);
    const world = new CriticalWorld(deploymentObject(), serviceObject({ criteria }));
    const standing = (criterion: Criterion): Standing => ({
      criterion,
      state: 'unmet',
      examples: [],
      message: 'ä'.repeat(5_000),
    });
    const reconcile = async (): Promise<unknown> =>
      criticalServiceReconciler({ ...world.ports, standing }).reconcile(SERVICE_REF, SIGNAL);
    await reconcile();
    const { object } = world.service();
    const lengthOf = (one: unknown): number => textAt(one, 'message')?.length ?? 0;
    const most = (list: string): number => Math.max(...listAt(object, 'status', list).map(lengthOf));
    expect(most('criteria')).toBeLessThanOrEqual(4_096);
    expect(most('conditions')).toBeLessThanOrEqual(32_768);
    expect(most('conditions')).toBeGreaterThan(10_000);
    world.cluster.calls.length = 0;
    await reconcile();
    expect(world.cluster.writes).toEqual([]);
  });

  test('without its provider marks nothing, and takes the mark off the namespace', async () => {
    const world = new CriticalWorld(deploymentObject(), serviceObject());
    await world.reconcile();
    world.cluster.drop(PROVIDER_REF);
    await world.reconcile();
    expect(world.isMarked(HOME_REF)).toBe(false);
    expect(world.condition('Ready')).toBe('False/ProviderNotFound');
    expect(world.service().providerUid).toBeUndefined();
    world.cluster.calls.length = 0;
    await world.reconcile();
    expect(world.cluster.writes).toEqual([]);
  });

  test('leaves the mark on a namespace that another service wants', async () => {
    const other = serviceObject(
      { provider: { ...PROVIDER_REF, resource: 'deployments', name: 'second' } },
      { name: 'other' },
      {
        provider: { uid: 'x' },
      },
    );
    const world = new CriticalWorld(deploymentObject(), serviceObject(), other);
    await world.reconcile();
    world.cluster.drop(PROVIDER_REF);
    await world.reconcile();
    expect(world.isMarked(HOME_REF)).toBe(true);
  });

  test('adopts a provider that was made anew, and says so', async () => {
    const world = new CriticalWorld(deploymentObject(), serviceObject());
    await world.reconcile();
    world.cluster.put(deploymentObject({ uid: 'second' }));
    await world.reconcile();
    expect(world.isMarked(PROVIDER_REF)).toBe(true);
    expect(fieldAt(world.cluster.at(SERVICE_REF), 'status', 'provider')).toEqual({
      kind: 'Deployment',
      uid: 'second',
      adoptedFrom: 'uid-of-server',
    });
    expect(world.events).toEqual(['ProviderAdopted service']);
  });

  test('adopts one that is made anew long after, and says so', async () => {
    const world = new CriticalWorld(deploymentObject(), serviceObject());
    await world.reconcile();
    world.cluster.drop(PROVIDER_REF);
    await world.reconcile();
    expect(fieldAt(world.cluster.at(SERVICE_REF), 'status', 'provider')).toEqual({
      lastUid: 'uid-of-server',
    });
    world.cluster.put(deploymentObject({ uid: 'second' }));
    await world.reconcile();
    expect(fieldAt(world.cluster.at(SERVICE_REF), 'status', 'provider')).toEqual({
      kind: 'Deployment',
      uid: 'second',
      adoptedFrom: 'uid-of-server',
    });
    expect(world.events).toEqual(['ProviderAdopted service']);
    world.cluster.calls.length = 0;
    await world.reconcile();
    expect(world.cluster.writes).toEqual([]);
  });

  test('says which right is missing', async () => {
    const world = new CriticalWorld(deploymentObject(), serviceObject());
    world.cluster.before = ({ verb, key }) => {
      if (verb === 'patch' && key === KEYS.provider) throw new Refusal(403, 'Forbidden', 'no right to patch');
    };
    await world.reconcile();
    expect(world.condition('Ready')).toBe('False/Forbidden');
  });
});

describe('a refused deletion', () => {
  const status = { attempts: ATTEMPTS };

  test('is not repeated while a criterion is not met', async () => {
    const world = new CriticalWorld(deploymentObject(), poolObject(), serviceObject(REPLAY, {}, status));
    await world.reconcile();
    expect(world.deleted()).toEqual([]);
  });

  test('is repeated for its UID and with its policy when all are met; of the service itself, when the provider is gone', async () => {
    const world = new CriticalWorld(deploymentObject(), serviceObject(REPLAY, {}, status));
    await world.reconcile();
    expect(world.cluster.deletions).toEqual([
      { key: KEYS.provider, options: { uid: 'uid-of-server', propagationPolicy: 'Foreground' } },
      { key: KEYS.home, options: { uid: 'uid-of-here', propagationPolicy: 'Foreground' } },
    ]);
    await world.reconcile();
    expect(world.deleted().at(-1)).toBe(KEYS.service);
    await world.reconcile();
    expect(world.cluster.at(SERVICE_REF)).toBeUndefined();
  });

  test('is not repeated unless the service says so, and then forgotten', async () => {
    const world = new CriticalWorld(deploymentObject(), serviceObject({}, {}, status));
    await world.reconcile();
    expect(world.deleted()).toEqual([]);
    expect(world.service().attempts).toEqual([]);
  });

  test('is kept when it is recorded while others are forgotten', async () => {
    const old = { ...attemptAt('uid-of-another'), time: '2029-12-30T23:59:59Z' };
    const world = new CriticalWorld(
      deploymentObject(),
      poolObject(),
      serviceObject(REPLAY, {}, { attempts: [old] }),
    );
    const fresh = attemptAt('uid-of-server');
    world.cluster.before = ({ isStatus }) => {
      if (!isStatus || world.service().attempts.some(({ uid }) => uid === fresh.uid)) return;
      const object = world.service().object;
      world.cluster.put({ ...object, status: { attempts: [old, fresh] } });
    };
    await expect(world.reconcile()).rejects.toThrow('modified');
    await world.reconcile();
    expect(world.service().attempts).toMatchObject([{ uid: fresh.uid }]);
  });

  test('is not repeated against the veto of another protection', async () => {
    const attempts = ATTEMPTS.map((attempt): Attempt => ({ ...attempt, vetoed: true }));
    const world = new CriticalWorld(deploymentObject(), serviceObject(REPLAY, {}, { attempts }));
    await world.reconcile();
    expect(world.deleted()).toEqual([]);
  });

  test('is not repeated when it was asked for more than a day ago, and then forgotten', async () => {
    const attempts = ATTEMPTS.map((attempt): Attempt => ({ ...attempt, time: '2029-12-30T23:59:59Z' }));
    const world = new CriticalWorld(deploymentObject(), serviceObject(REPLAY, {}, { attempts }));
    await world.reconcile();
    expect(world.deleted()).toEqual([]);
    expect(world.service().attempts).toEqual([]);
  });

  test('is not repeated on another object of the same name', async () => {
    const attempts = [attemptAt('uid-of-another')];
    const world = new CriticalWorld(deploymentObject(), serviceObject(REPLAY, {}, { attempts }));
    await world.reconcile();
    expect(world.deleted()).toEqual([]);
  });

  test('is not repeated for somebody who may not any more', async () => {
    const world = new CriticalWorld(deploymentObject(), serviceObject(REPLAY, {}, status));
    world.powerless.add('ada');
    await world.reconcile();
    expect(world.deleted()).toEqual([]);
    expect(world.condition('Replayed')).toBe('False/NotAllowed');
  });

  test('waits when somebody else objects', async () => {
    const world = new CriticalWorld(deploymentObject(), serviceObject(REPLAY, {}, status));
    world.cluster.before = ({ verb }) => {
      if (verb === 'delete') throw new Refusal(409, 'Conflict', 'in use');
    };
    expect(await world.reconcile()).toMatchObject({ kind: 'look-again' });
    expect(world.condition('Replayed')).toBe('False/Refused');
    world.cluster.before = () => undefined;
    await world.reconcile();
    expect(world.deleted()).toContain(KEYS.provider);
    expect(world.condition('Replayed')).toBe('/');
  });
});

describe('a deleted service', () => {
  const finalized = { finalizers: ['rook-deps.io/critical-service'] };

  async function deleted(
    spec: object,
    ...others: Parameters<typeof serviceObject>[2][]
  ): Promise<CriticalWorld> {
    const world = new CriticalWorld(
      deploymentObject(),
      poolObject(),
      serviceObject(spec, finalized, others[0]),
    );
    await world.reconcile();
    await world.cluster.writer.delete(SERVICE_REF, {}, SIGNAL);
    world.cluster.deletions.length = 0;
    return world;
  }

  test('stays, and keeps what it kept, while its provider is there', async () => {
    const world = await deleted({});
    await world.reconcile();
    expect(world.condition('Ready')).toBe('False/WaitingForProvider');
    expect(world.isMarked(PROVIDER_REF)).toBe(true);
    world.cluster.drop(PROVIDER_REF);
    await world.reconcile();
    expect(world.cluster.at(SERVICE_REF)).toBeUndefined();
    expect(world.isMarked(HOME_REF)).toBe(false);
  });

  test('is looked at again when its provider could not be read', async () => {
    const world = await deleted({});
    let failures = 1;
    const get: CriticalServicePorts['get'] = async (ref, signal) => {
      if (ref.kind === PROVIDER_REF.kind && failures-- > 0) throw new Refusal(500, 'InternalError');
      return world.ports.get(ref, signal);
    };
    const { reconcile } = criticalServiceReconciler({ ...world.ports, get });
    expect(await reconcile(SERVICE_REF, SIGNAL)).toMatchObject({ kind: 'look-again' });
    expect(await reconcile(SERVICE_REF, SIGNAL)).toEqual({ kind: 'wait-for-change' });
  });

  test.each([
    ['with Orphan', { deletionPolicy: 'Orphan' }],
    ['with BestEffort when its criteria are met', { deletionPolicy: 'BestEffort' }],
  ])('%s leaves its provider, unmarked', async (title, spec) => {
    const world = await deleted(spec);
    if (title.includes('BestEffort')) {
      await world.reconcile();
      expect(world.condition('Ready')).toBe('False/WaitingForProvider');
      world.cluster.drop(POOL_REF);
    }
    await world.reconcile();
    expect(world.cluster.at(SERVICE_REF)).toBeUndefined();
    expect([world.isMarked(PROVIDER_REF), world.isMarked(HOME_REF)]).toEqual([false, false]);
    expect(world.cluster.at(PROVIDER_REF)).toBeDefined();
  });

  test('with Orphan does not carry out what was refused before', async () => {
    const world = await deleted({ deletionPolicy: 'Orphan', ...REPLAY }, { attempts: ATTEMPTS });
    await world.reconcile();
    expect(world.deleted()).toEqual([]);
  });

  test('that is forced goes at once', async () => {
    const world = await deleted({});
    await world.cluster.writer.patch(
      SERVICE_REF,
      { type: 'merge', body: { metadata: { annotations: { 'rook-deps.io/force-delete': 'now' } } } },
      SIGNAL,
    );
    await world.reconcile();
    expect(world.cluster.at(SERVICE_REF)).toBeUndefined();
  });
});

test.each([
  ['a service comes into force and its deletions are repeated', REPLAY, { attempts: ATTEMPTS }],
  ['a service is released', { deletionPolicy: 'Orphan' }, {}],
])('a crash at any write is made good by the next run: %s', async (_title, spec, status) => {
  const start = async (): Promise<CriticalWorld> => {
    const world = new CriticalWorld(deploymentObject(), serviceObject(spec, {}, status));
    if ('deletionPolicy' in spec) {
      await world.reconcile();
      await world.cluster.writer.delete(SERVICE_REF, {}, SIGNAL);
    }
    world.cluster.calls.length = 0;
    return world;
  };
  const settle = async (world: CriticalWorld): Promise<void> => {
    for (let turn = 0; turn < 4; turn++) await world.reconcile();
  };
  const smooth = await start();
  await settle(smooth);
  const writes = smooth.cluster.writes.length;
  expect(writes).toBeGreaterThan(3);
  for (let at = 0; at < writes; at++) {
    const world = await start();
    let count = 0;
    world.cluster.before = ({ verb }) => {
      if (verb !== 'get' && verb !== 'list' && count++ === at) throw new Error('killed');
    };
    await settle(world).catch((error: unknown) => expect(String(error)).toContain('killed'));
    world.cluster.before = () => undefined;
    await settle(world);
    expect(world.cluster.state()).toEqual(smooth.cluster.state());
  }
});
