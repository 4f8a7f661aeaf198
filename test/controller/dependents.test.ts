import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { fieldAt, isRecord, Kinds, listAt, textAt, type KubeObject } from '#pkg/object';
import { served, servedVolume } from '../fixtures/served-objects.ts';
import { auditEnd, controllerWrites } from './controller-writes.ts';
import { deletePastTheWebhook } from './past-the-webhook.ts';
import { blockersOf, RookObjects, type Named } from './rook-objects.ts';
import { finalizerOf } from './rook-operator.ts';
import { Scene } from './scene.ts';

const RBD = 'rook-ceph.rbd.csi.ceph.com';
const OURS = 'object deletion is blocked because it has dependents:';
const WAIT = { timeout: 30_000, interval: 100 };

let scene: Scene;
let rook: RookObjects;

beforeAll(async () => {
  scene = await Scene.open();
  rook = new RookObjects(scene);
}, 180_000);

afterAll(() => scene?.close());

const pool = (namespace: string, name = 'p'): Named => ({ kind: 'CephBlockPool', namespace, name });
const rns = (namespace: string, name = 'a'): Named => ({
  kind: 'CephBlockPoolRadosNamespace',
  namespace,
  name,
});
const poolWith = (ns: string, ...namespaces: readonly string[]): readonly object[] => [
  served(Kinds.CephBlockPool, 'p', ns),
  ...namespaces.map((name) => served(Kinds.CephBlockPoolRadosNamespace, name, ns, { blockPoolName: 'p' })),
];

describe('a refusal', () => {
  test('W11, W14: names the first twenty in order, counts the rest, and is the same for a dry run', async () => {
    const ns = await scene.namespace('many');
    const names = Array.from({ length: 25 }, (_, at) => `n${String(at).padStart(2, '0')}`);
    await rook.apply(poolWith(ns, ...names));
    const { status, message } = await rook.delete(pool(ns));
    expect(status).toBe(409);
    expect(message).toContain(`CephBlockPool "${ns}/p" is needed by 25 CephBlockPoolRadosNamespaces:`);
    expect(message).toContain(`- CephBlockPoolRadosNamespace ${ns}/n19 (RD002)\n- +5 more\n`);
    expect(message).not.toContain('n20');
    expect((await rook.delete(pool(ns), 'dryRun=All')).message).toBe(message);
    const printed = await scene.install.kubectl(['delete', 'cephblockpool', 'p', '-n', ns]);
    expect(printed.stderr).toMatch(
      /^Error from server \(Conflict\): admission webhook "rook.rook-deps.io" denied/,
    );
  });

  test('comes from what is there now when somebody deletes one thing after another', async () => {
    const ns = await scene.namespace('quick');
    await rook.apply(poolWith(ns, 'a'));
    await rook.untilHeld(pool(ns));
    for (let round = 0; round < 10; round++) {
      await rook.apply(poolWith(ns, 'a'));
      expect((await rook.delete(rns(ns))).status).toBe(200);
      expect(await rook.read(rns(ns))).toBeUndefined();
      // The cache may still have it: the refusal must not.
      const { status } = await rook.delete(pool(ns), 'dryRun=All');
      expect(status).toBe(200);
    }
  });

  test('says what could not be looked at, and the ways out', async () => {
    const ns = await scene.namespace('unknown');
    await rook.apply(poolWith(ns));
    const role = await rightsWithout('persistentvolumes');
    try {
      const { status, message } = await rook.delete(pool(ns));
      expect(status).toBe(503);
      expect(message).toContain(`cannot tell whether anything depends on CephBlockPool "${ns}/p"`);
      expect(message).toMatch(/- PersistentVolume \(forbidden: .*cannot list resource "persistentvolumes"/);
      expect(message).toContain('rook-deps.io/force-delete');
    } finally {
      await role.restore();
    }
    expect((await rook.delete(pool(ns))).status).toBe(200);
  });
});

async function rightsWithout(resource: string): Promise<{ restore(): Promise<void> }> {
  const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles/rook-deps-controller';
  const rules = listAt((await scene.client.send('GET', path, undefined)).body, 'rules');
  const fewer = rules.map((rule) => ({
    ...(isRecord(rule) ? rule : {}),
    resources: listAt(rule, 'resources').filter((name) => name !== resource),
  }));
  const set = async (value: readonly unknown[]): Promise<void> => {
    await scene.client.send('PATCH', path, { rules: value });
    const may = value === rules;
    await vi.waitFor(async () => {
      const { stdout } = await scene.install.kubectl([
        'auth',
        'can-i',
        'list',
        resource,
        '--as',
        'system:serviceaccount:rook-deps-system:rook-deps-controller',
      ]);
      expect(stdout.trim()).toBe(may ? 'yes' : 'no');
    }, WAIT);
  };
  await set(fewer);
  return { restore: () => set(rules) };
}

describe('the ways out', () => {
  test('14.6: under a cluster that is deleted with yes-really-destroy-data everything but the cluster goes', async () => {
    const ns = await scene.namespace('destroy');
    const cleanupPolicy = { confirmation: 'yes-really-destroy-data' };
    const cluster = served(Kinds.CephCluster, 'c', ns, { cleanupPolicy });
    const volume = servedVolume(`${ns}-pv`, RBD, { volumeAttributes: { clusterID: ns, pool: 'p' } });
    await rook.apply([cluster, ...poolWith(ns, 'a'), volume]);
    // Set, but the cluster is not being deleted.
    expect((await rook.delete(pool(ns))).status).toBe(409);
    await rook.untilHeld({ kind: 'CephCluster', namespace: ns, name: 'c' });
    // The word is about what is in the cluster, and not about who has volumes on it.
    const refusal = await rook.delete({ kind: 'CephCluster', namespace: ns, name: 'c' });
    expect(refusal.message).toContain('allowUninstallWithVolumes: true');
    expect(blockersOf(refusal)).toEqual([{ kind: 'PersistentVolume', name: `${ns}-pv` }]);
    expect(refusal.status).toBe(409);
    await rook.remove({ kind: 'PersistentVolume', name: `${ns}-pv` });
    await vi.waitFor(async () => {
      const { status } = await rook.delete({ kind: 'CephCluster', namespace: ns, name: 'c' });
      expect(status).toBe(200);
    }, WAIT);
    await vi.waitFor(async () => expect((await rook.delete(pool(ns))).status).toBe(200), WAIT);
    await rook.untilGone(pool(ns));
    await rook.remove(rns(ns));
    await rook.untilGone({ kind: 'CephCluster', namespace: ns, name: 'c' });
  });

  test('14.6: under a cluster that is deleted without that word nothing goes', async () => {
    const ns = await scene.namespace('deleting');
    await rook.apply([served(Kinds.CephCluster, 'c', ns), ...poolWith(ns, 'a')]);
    await rook.untilHeld({ kind: 'CephCluster', namespace: ns, name: 'c' });
    await deletePast({ kind: 'CephCluster', namespace: ns, name: 'c' });
    expect((await rook.delete(pool(ns))).status).toBe(409);
    await rook.remove(pool(ns));
    await rook.untilGone({ kind: 'CephCluster', namespace: ns, name: 'c' });
  });

  test('allowUninstallWithVolumes lets volumes hold nothing', async () => {
    const ns = await scene.namespace('uninstall');
    const volume = servedVolume(`${ns}-pv`, RBD, { volumeAttributes: { clusterID: ns, pool: 'p' } });
    await rook.apply([served(Kinds.CephCluster, 'c', ns), ...poolWith(ns), volume]);
    expect((await rook.delete(pool(ns))).message).toContain(`PersistentVolume ${ns}-pv`);
    const cluster: Named = { kind: 'CephCluster', namespace: ns, name: 'c' };
    await rook.patch(cluster, { spec: { cleanupPolicy: { allowUninstallWithVolumes: true } } });
    await vi.waitFor(async () => expect((await rook.delete(pool(ns))).status).toBe(200), WAIT);
    await rook.untilGone(pool(ns));
    await rook.remove(cluster);
    await rook.remove({ kind: 'PersistentVolume', name: `${ns}-pv` });
  });

  test('who may force a deletion does so with a reason, and an Event says so', async () => {
    const ns = await scene.namespace('force');
    await rook.apply(poolWith(ns, 'a'));
    await rook.untilHeld(pool(ns));
    await rook.patch(pool(ns), { metadata: { annotations: { 'rook-deps.io/force-delete': 'fire' } } });
    expect((await rook.delete(pool(ns))).status).toBe(200);
    await vi.waitFor(async () => {
      const notes = (await eventsOf(ns))
        .filter(({ reason }) => reason === 'DeletionForced')
        .map(({ note }) => note);
      // The server asks again when the object has changed meanwhile.
      expect(new Set(notes)).toEqual(new Set([expect.stringContaining('fire')]));
    }, WAIT);
    // Its dependents are still there.
    await rook.untilGone(pool(ns));
    await rook.remove(rns(ns));
  });
});

const deletePast = (named: Named): Promise<void> => deletePastTheWebhook(scene, () => rook.delete(named));

interface Event {
  readonly reason: string;
  readonly note: string;
  readonly type: string;
}

async function eventsOf(ns: string): Promise<readonly Event[]> {
  const path = `/apis/events.k8s.io/v1/namespaces/${ns}/events`;
  return listAt((await scene.client.send('GET', path, undefined)).body, 'items') as readonly Event[];
}

const condition = (object: KubeObject | undefined, type = 'DeletionIsBlocked'): unknown =>
  listAt(object, 'status', 'conditions').find((one) => textAt(one, 'type') === type);

async function untilReported(named: Named, type?: string): Promise<KubeObject> {
  return vi.waitFor(async () => {
    const object = await rook.read(named);
    expect(fieldAt(condition(object, type), 'status')).toBe('True');
    return object as KubeObject;
  }, WAIT);
}

/** What Rook's operator writes: a whole list, whatever others have put there. */
async function rookWrites(named: Named, ...conditions: readonly object[]): Promise<void> {
  await rook.patch(named, { status: { conditions } }, 'status');
}

describe('a deletion that got past the webhook', () => {
  test('14.2: is held and reported, and released when the dependents are gone', async () => {
    const ns = await scene.namespace('past');
    await rook.apply(poolWith(ns, 'a', 'b'));
    await rook.untilHeld(pool(ns));
    // Stays when ours is gone, so that the end can be read.
    await rook.patch(pool(ns), {
      metadata: { finalizers: ['rook-deps.io/dependents', 'example.com/held'] },
    });
    await deletePast(pool(ns));
    const held = await untilReported(pool(ns));
    expect(fieldAt(held, 'status', 'phase')).toBe('Deleting');
    expect(condition(held)).toMatchObject({
      reason: 'ObjectHasDependents',
      message: `${OURS} CephBlockPoolRadosNamespaces: [${ns}/a ${ns}/b]`,
    });
    await vi.waitFor(async () => {
      const failed = (await eventsOf(ns)).filter(({ reason }) => reason === 'ReconcileFailed');
      expect(failed).toEqual([
        expect.objectContaining({ type: 'Warning', note: textAt(condition(held), 'message') }),
      ]);
    }, WAIT);
    await rook.remove(rns(ns, 'a'));
    await rook.remove(rns(ns, 'b'));
    await vi.waitFor(async () => {
      const released = await rook.read(pool(ns));
      expect(condition(released)).toMatchObject({ status: 'False', reason: 'ObjectHasNoDependents' });
      expect(released?.metadata.finalizers).toEqual(['example.com/held']);
    }, WAIT);
    await rook.patch(pool(ns), { metadata: { finalizers: null } });
    await rook.untilGone(pool(ns));
  });

  test('is held with its dependents when the definition of its kind is deleted', async () => {
    const ns = await scene.namespace('definition');
    const realm: Named = { kind: 'CephObjectRealm', namespace: ns, name: 'r' };
    await rook.apply([
      served(Kinds.CephObjectRealm, 'r', ns),
      served(Kinds.CephObjectZoneGroup, 'g', ns, { realm: 'r' }),
    ]);
    await rook.untilHeld(realm);
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/cephobjectrealms.ceph.rook.io';
    const definition = (await scene.client.send('GET', path, undefined)).body as KubeObject;
    await deletePastTheWebhook(scene, () => scene.client.send('DELETE', path, undefined));
    await untilReported(realm);
    await rook.remove({ kind: 'CephObjectZoneGroup', namespace: ns, name: 'g' });
    await vi.waitFor(
      async () => expect((await scene.client.send('GET', path, undefined)).status).toBe(404),
      WAIT,
    );
    const { name, annotations } = definition.metadata;
    await scene.install.apply([{ ...definition, metadata: { name, annotations }, status: undefined }]);
  });

  test('of a kind whose schema keeps no conditions is told by an Event alone', async () => {
    const ns = await scene.namespace('pruned');
    const account: Named = { kind: 'CephObjectStoreAccount', namespace: ns, name: 'acc' };
    await rook.apply([
      served(Kinds.CephObjectStoreAccount, 'acc', ns, { store: 's' }),
      served(Kinds.CephObjectStoreUser, 'u', ns, { store: 's', accountRef: { name: 'acc' } }),
    ]);
    await rook.untilHeld(account);
    await deletePast(account);
    await vi.waitFor(async () => {
      const notes = (await eventsOf(ns)).map(({ note }) => note);
      expect(notes).toEqual([`${OURS} CephObjectStoreUsers: [${ns}/u]`]);
    }, WAIT);
    expect(condition(await rook.read(account))).toBeUndefined();
    await rook.remove({ kind: 'CephObjectStoreUser', namespace: ns, name: 'u' });
    await rook.untilGone(account);
  });

  test('is not reported a second time when Rook says the same, and nothing is written at rest', async () => {
    const ns = await scene.namespace('same');
    await rook.apply(poolWith(ns, 'tenant-q'));
    await rook.untilHeld(pool(ns));
    const finalizers = ['rook-deps.io/dependents', finalizerOf('CephBlockPool')];
    await rook.patch(pool(ns), { metadata: { finalizers } });
    const said = {
      type: 'DeletionIsBlocked',
      status: 'True',
      reason: 'ObjectHasDependents',
      message: `CephBlockPool "${ns}/p" will not be deleted until all dependents are removed: CephBlockPoolRadosNamespaces: [tenant-q]`,
    };
    await rookWrites(pool(ns), said);
    await deletePast(pool(ns));
    await vi.waitFor(
      async () => expect(fieldAt(await rook.read(pool(ns)), 'status', 'phase')).toBe('Deleting'),
      WAIT,
    );
    expect(condition(await rook.read(pool(ns)))).toMatchObject({ message: said.message });
    // The Event about a pool is ours: that of Rook names nobody.
    await vi.waitFor(async () => expect(await eventsOf(ns)).toHaveLength(1), WAIT);
    const since = await auditEnd(scene.install);
    for (let round = 0; round < 10; round++) {
      await rookWrites(pool(ns), { ...said, lastHeartbeatTime: new Date().toISOString() });
      await sleep(200);
    }
    expect(await controllerWrites(scene.install, since)).toEqual([]);
    await rook.patch(pool(ns), { metadata: { finalizers: ['rook-deps.io/dependents'] } });
    await rook.remove(rns(ns, 'tenant-q'));
    await rook.untilGone(pool(ns));
  });

  test('does not flap when Rook says again and again that nothing holds it', async () => {
    const ns = await scene.namespace('flap');
    const cluster: Named = { kind: 'CephCluster', namespace: ns, name: 'c' };
    const volume: Named = { kind: 'PersistentVolume', name: `${ns}-pv` };
    await rook.apply([
      served(Kinds.CephCluster, 'c', ns),
      servedVolume(`${ns}-pv`, RBD, { volumeAttributes: { clusterID: ns, pool: 'p' } }),
    ]);
    await rook.untilHeld(cluster);
    const finalizers = ['rook-deps.io/dependents', finalizerOf('CephCluster')];
    await rook.patch(cluster, { metadata: { finalizers } });
    const said = {
      type: 'DeletionIsBlocked',
      status: 'False',
      reason: 'ObjectHasNoDependents',
      message: 'none',
    };
    await rookWrites(cluster, said);
    await deletePast(cluster);
    const held = await untilReported(cluster, 'rook-deps.io/DeletionIsBlocked');
    expect(condition(held)).toMatchObject({ status: 'False', message: 'none' });
    const since = await auditEnd(scene.install);
    for (let round = 0; round < 15; round++) {
      await rookWrites(cluster, { ...said, lastHeartbeatTime: new Date().toISOString() });
      await sleep(200);
    }
    expect(await controllerWrites(scene.install, since)).toEqual([]);
    await rook.patch(cluster, { metadata: { finalizers: ['rook-deps.io/dependents'] } });
    await rook.remove(volume);
    await rook.untilGone(cluster);
  });
});

describe('a resource that depends on one which is being deleted', () => {
  test('is not created', async () => {
    const ns = await scene.namespace('armed');
    await rook.apply(poolWith(ns, 'a'));
    await rook.untilHeld(pool(ns));
    await deletePast(pool(ns));
    await vi.waitFor(async () => {
      const { status, message } = await scene.client.create(
        served(Kinds.CephBlockPoolRadosNamespace, 'new', ns, { blockPoolName: 'p' }) as never,
      );
      expect(status).toBe(403);
      expect(message).toContain(`CephBlockPool "${ns}/p" is being deleted since`);
      expect(message).toContain('would be lost with it');
    }, WAIT);
    const other = served(Kinds.CephBlockPoolRadosNamespace, 'other', ns, { blockPoolName: 'q' });
    expect((await scene.client.create(other as never)).status).toBe(201);
    await rook.remove(rns(ns));
    await rook.untilGone(pool(ns));
  });
});

describe('at rest', () => {
  test('nothing is written, and what is held keeps its finalizer only for as long', async () => {
    const ns = await scene.namespace('rest');
    await rook.apply(poolWith(ns, 'a'));
    await rook.untilHeld(pool(ns));
    const since = await auditEnd(scene.install);
    await sleep(2_000);
    await rook.patch(pool(ns), { status: { info: { usage: 'changed' } } }, 'status');
    await sleep(500);
    expect(await controllerWrites(scene.install, since)).toEqual([]);
    await rook.remove(rns(ns));
    await rook.untilHeld(pool(ns), false);
  });
});

describe('without the controller', () => {
  test('anything is created, and nothing of Rook deleted', async () => {
    const ns = await scene.namespace('unasked');
    await scene.killController();
    expect((await scene.client.create(served(Kinds.CephClient, 'c', ns) as never)).status).toBe(201);
    expect((await rook.delete({ kind: 'CephClient', namespace: ns, name: 'c' })).message).toContain(
      'failed calling webhook "rook.rook-deps.io"',
    );
  });
});

describe('a cache that is late', () => {
  const PROVIDERS = 25;
  const ROUNDS = 40;

  test(`allows nothing wrong in ${PROVIDERS * ROUNDS} deletions that follow the creation of a dependent`, async () => {
    await scene.startController(['--watch-delay-ms', '400']);
    const ns = await scene.namespace('late');
    const answers: number[] = [];
    const names = Array.from({ length: PROVIDERS }, (_, at) => `p${at}`);
    await rook.apply(names.map((name) => served(Kinds.CephBlockPool, name, ns)));
    await Promise.all(
      names.map(async (name) => {
        for (let round = 0; round < ROUNDS; round++) {
          const dependent = dependentOf(ns, name, round);
          expect((await scene.client.create(dependent.object as never)).status).toBe(201);
          answers.push((await rook.delete(pool(ns, name))).status);
          expect([200, 202]).toContain((await rook.delete(dependent.named)).status);
        }
      }),
    );
    expect(answers.filter((status) => status !== 409)).toEqual([]);
    expect(answers).toHaveLength(PROVIDERS * ROUNDS);
    await vi.waitFor(async () => {
      for (const name of names) expect([200, 404]).toContain((await rook.delete(pool(ns, name))).status);
    }, WAIT);
  }, 480_000);

  function dependentOf(
    ns: string,
    name: string,
    round: number,
  ): { readonly object: object; readonly named: Named } {
    const own = `${ns}-${name}-${round}`;
    if (round % 5 === 0)
      return {
        object: served(Kinds.CephBlockPoolRadosNamespace, own, ns, { blockPoolName: name }),
        named: rns(ns, own),
      };
    const volumeAttributes = { clusterID: ns, pool: name };
    return {
      object: servedVolume(own, RBD, { volumeAttributes }),
      named: { kind: 'PersistentVolume', name: own },
    };
  }
});
