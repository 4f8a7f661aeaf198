import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isRecord, Kinds, listAt, textAt } from '#pkg/object';
import { served, servedVolume } from '../fixtures/served-objects.ts';
import type { Target } from './client.ts';
import { deletePastTheWebhook } from './past-the-webhook.ts';
import { blockersOf, RookObjects, type Named } from './rook-objects.ts';
import { Scene } from './scene.ts';

const RBD = 'rook-ceph.rbd.csi.ceph.com';
const WAIT = { timeout: 30_000, interval: 100 };

let scene: Scene;
let rook: RookObjects;

beforeAll(async () => {
  scene = await Scene.open();
  rook = new RookObjects(scene);
}, 180_000);

afterAll(() => scene?.close());

const namespaced = (name: string): Target => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
});
const definition = (plural: string): Target => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.ceph.rook.io` },
});
const pool = (namespace: string, name = 'p'): Named => ({ kind: 'CephBlockPool', namespace, name });
const volumeIn = (ns: string, name = `${ns}-pv`): Record<string, unknown> =>
  servedVolume(name, RBD, { volumeAttributes: { clusterID: ns, pool: 'p' } });
const volume = (name: string): Named => ({ kind: 'PersistentVolume', name });

/** Of a user that nobody knows. */
const bucketIn = (ns: string): object =>
  served(Kinds.CosiBucket, `${ns}-bucket`, undefined, {
    bucketClaim: {},
    bucketClassName: 'c',
    protocols: ['S3'],
    driverName: 'rook-ceph.ceph.objectstorage.k8s.io',
    parameters: { objectStoreUserSecretName: 'nobody', objectStoreUserSecretNamespace: ns },
  });

describe('the deletion of a namespace', () => {
  test('is refused while volumes need what is in it, and allowed when they are gone', async () => {
    const ns = await scene.namespace('around-volumes');
    await rook.apply([served(Kinds.CephBlockPool, 'p', ns), volumeIn(ns)]);
    await scene.untilMarked(namespaced(ns));
    const { status, message, body } = await scene.client.delete(namespaced(ns));
    expect(status).toBe(409);
    expect(message).toContain(`Namespace "${ns}" would take along what is needed by 1 PersistentVolume:`);
    expect(message).toContain(`- PersistentVolume ${ns}-pv (RD023), which needs CephBlockPool ${ns}/p`);
    expect(message).toContain(`See: kubectl rook-deps why namespace/${ns}`);
    expect(textAt(body, 'reason')).toBe('Conflict');
    expect(blockersOf({ status, message, body })).toEqual([volume(`${ns}-pv`)]);

    const told = await scene.install.plugin(['why', `namespace/${ns}`, '--no-ceph', '-o', 'json']);
    expect(JSON.parse(told.stdout)).toMatchObject({
      verdict: 'Blocked',
      causes: [{ code: 'RD023', object: { name: `${ns}-pv` }, part: { kind: 'CephBlockPool', name: 'p' } }],
    });
    const stripped = await scene.client.patch(namespaced(ns), {
      metadata: { labels: { 'rook-deps.io/in-use': null } },
    });
    expect(stripped.status).toBe(403);

    await rook.remove(volume(`${ns}-pv`));
    await scene.untilMarked(namespaced(ns), false);
    expect((await scene.client.delete(namespaced(ns))).status).toBe(200);
    await scene.untilGone(namespaced(ns));
  });

  test('is refused for a user in another namespace, and not for one in its own', async () => {
    const [ns, other] = [await scene.namespace('around-users'), await scene.namespace('around-tenant')];
    const user = (name: string, home: string): object =>
      served(Kinds.CephObjectStoreUser, name, home, { store: 's', clusterNamespace: ns });
    await rook.apply([
      served(Kinds.CephObjectStore, 's', ns, { allowUsersInNamespaces: ['*'] }),
      user('near', ns),
      user('far', other),
    ]);
    await scene.untilMarked(namespaced(ns));
    const refusal = await scene.client.delete(namespaced(ns));
    expect(refusal.status).toBe(409);
    expect(blockersOf(refusal)).toEqual([{ kind: 'CephObjectStoreUser', namespace: other, name: 'far' }]);
    await rook.remove({ kind: 'CephObjectStoreUser', namespace: other, name: 'far' });
    await scene.untilMarked(namespaced(ns), false);
    expect((await scene.client.delete(namespaced(ns))).status).toBe(200);
    await scene.untilGone(namespaced(ns));
  });

  test('is refused while nobody can tell, with the ways out', async () => {
    const ns = await scene.namespace('around-doubt');
    await rook.apply([served(Kinds.CephObjectStore, 's', ns), bucketIn(ns)]);
    await scene.untilMarked(namespaced(ns));
    const { status, message } = await scene.client.delete(namespaced(ns));
    expect(message).toContain(`cannot tell whether anything depends on what would go with Namespace "${ns}"`);
    expect(message).toContain(`- Bucket ${ns}-bucket (`);
    expect(message).toContain('rook-deps.io/force-delete');
    expect(status).toBe(503);
    await rook.remove({ kind: 'Bucket', name: `${ns}-bucket` });
    await scene.untilMarked(namespaced(ns), false);
  });

  test('shares its mark with usages: the last of both takes it off', async () => {
    const ns = await scene.namespace('around-shared');
    await rook.apply([served(Kinds.CephBlockPool, 'p', ns), volumeIn(ns)]);
    const usage = (name: string): Target =>
      ({
        apiVersion: 'rook-deps.io/v1alpha1',
        kind: 'Usage',
        metadata: { name, namespace: ns },
        spec: {
          of: { apiVersion: 'ceph.rook.io/v1', kind: 'CephBlockPool', resourceRef: { name: 'p' } },
          reason: 'the test wants it',
        },
      }) as Target;
    await scene.make(usage('first'));
    await scene.untilReady(usage('first'));
    await scene.client.delete(usage('first'));
    await scene.untilGone(usage('first'));
    expect((await scene.client.delete(namespaced(ns))).status).toBe(409);

    await scene.make(usage('second'));
    await scene.untilReady(usage('second'));
    await rook.remove(volume(`${ns}-pv`));
    await rook.untilHeld(pool(ns), false);
    const { status, message } = await scene.client.delete(namespaced(ns));
    expect(message).toContain('is in use by 1 usage');
    expect(status).toBe(409);
    await scene.client.delete(usage('second'));
    await scene.untilMarked(namespaced(ns), false);
  });
});

describe('the deletion of a definition of Rook', () => {
  test('is refused while anything needs an object of its kind, and allowed when nothing does', async () => {
    const ns = await scene.namespace('around-definition');
    await rook.apply([
      served(Kinds.CephObjectRealm, 'r', ns),
      served(Kinds.CephObjectZoneGroup, 'g', ns, { realm: 'r' }),
    ]);
    await rook.untilHeld({ kind: 'CephObjectRealm', namespace: ns, name: 'r' });
    const realms = definition('cephobjectrealms');
    const { status, message } = await scene.client.delete(realms);
    expect(message).toMatch(/admission webhook "rook-definitions\.rook-deps\.io" denied/);
    expect(message).toContain('would take along what is needed by 1 CephObjectZoneGroup:');
    expect(message).toContain(`- CephObjectZoneGroup ${ns}/g (RD012), which needs CephObjectRealm ${ns}/r`);
    expect(status).toBe(409);
    await rook.remove({ kind: 'CephObjectZoneGroup', namespace: ns, name: 'g' });
    expect((await scene.client.delete(realms, { query: 'dryRun=All' })).status).toBe(200);
  });
});

describe('a kind that moves to another version', () => {
  test('holds what its objects depend on all the while', async () => {
    const ns = await scene.namespace('around-version');
    const name = 'cephblockpoolradosnamespaces.ceph.rook.io';
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
    await rook.apply([
      served(Kinds.CephBlockPool, 'p', ns),
      served(Kinds.CephBlockPoolRadosNamespace, 'n', ns, { blockPoolName: 'p' }),
      served(Kinds.CephObjectStore, 's', ns),
      bucketIn(ns),
    ]);
    await rook.untilHeld(pool(ns));
    const [v1] = listAt((await scene.client.send('GET', path, undefined)).body, 'spec', 'versions').filter(
      isRecord,
    );
    const serve = async (versions: readonly object[]): Promise<void> => {
      // With a bucket that nobody can place everything is listed: from then on the versions are known to whoever lists.
      await rook.delete({ kind: 'CephObjectStore', namespace: ns, name: 's' }, 'dryRun=All');
      expect((await scene.client.send('PATCH', path, { spec: { versions } })).status).toBe(200);
      const untilMs = Date.now() + 3_000;
      const answers = new Set<number>();
      while (Date.now() < untilMs) answers.add((await rook.delete(pool(ns), 'dryRun=All')).status);
      expect([...answers].filter((status) => ![409, 503].includes(status))).toEqual([]);
      await vi.waitFor(
        async () => expect((await rook.delete(pool(ns), 'dryRun=All')).status).toBe(409),
        WAIT,
      );
    };
    try {
      await serve([
        { ...v1, served: false, storage: false },
        { ...v1, name: 'v2', storage: true },
      ]);
    } finally {
      await serve([{ ...v1 }, { ...v1, name: 'v2', storage: false }]);
    }
    await rook.remove(pool(ns));
    await rook.remove({ kind: 'Bucket', name: `${ns}-bucket` });
  });
});

describe('a kind of Rook that no rule knows', () => {
  test('is not deleted without a word of whoever is sure, nor is its definition', async () => {
    const ns = await scene.namespace('around-novelty');
    const [plural, kind] = ['cephnovelties', 'CephNovelty'];
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const crd = {
      ...definition(plural),
      spec: {
        group: 'ceph.rook.io',
        scope: 'Namespaced',
        names: { plural, kind, singular: 'cephnovelty', listKind: 'CephNoveltyList' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    await rook.apply([
      crd,
      { apiVersion: 'ceph.rook.io/v1', kind, metadata: { name: 'new', namespace: ns } },
    ]);
    const path = `/apis/ceph.rook.io/v1/namespaces/${ns}/${plural}/new`;
    const sure = { metadata: { annotations: { 'rook-deps.io/force-delete': 'the test wants it' } } };
    const refusal = await scene.client.send('DELETE', path, undefined);
    expect(refusal.message).toContain(
      '- dependents of a CephNovelty (no rule knows what depends on this kind)',
    );
    expect(refusal.message).toContain('annotates it with rook-deps.io/force-delete="REASON"');
    expect(refusal.status).toBe(503);
    const told = await scene.install.plugin(['why', `cephnovelty/new`, '-n', ns, '--no-ceph', '-o', 'json']);
    expect(JSON.parse(told.stdout)).toMatchObject({ verdict: 'Unknown' });
    const whole = await scene.client.delete(definition(plural));
    expect(whole.message).toContain(`cannot tell whether anything depends on what would go with`);
    expect(whole.status).toBe(503);
    await scene.client.send('PATCH', path, sure);
    expect((await scene.client.send('DELETE', path, undefined)).status).toBe(200);
    await scene.client.patch(definition(plural), sure);
    expect((await scene.client.delete(definition(plural))).status).toBe(200);
  });
});

describe('a kind that is defined and not served', () => {
  const [kind, name] = ['CephBlockPoolRadosNamespace', 'cephblockpoolradosnamespaces.ceph.rook.io'];
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
  const serve = async (isServed: boolean): Promise<void> => {
    const { body } = await scene.client.send('GET', path, undefined);
    const versions = listAt(body, 'spec', 'versions').map((one) =>
      isRecord(one) ? { ...one, served: isServed } : one,
    );
    expect((await scene.client.send('PATCH', path, { spec: { versions } })).status).toBe(200);
  };

  test('may have objects, also for a controller that has never seen it served', async () => {
    const ns = await scene.namespace('around-unserved');
    await rook.apply([
      served(Kinds.CephBlockPool, 'p', ns),
      served(Kinds.CephBlockPoolRadosNamespace, 'rns', ns, { blockPoolName: 'p' }),
    ]);
    await scene.killController();
    await serve(false);
    await scene.restartController();
    const deletion = (): ReturnType<typeof rook.delete> => rook.delete(pool(ns), 'dryRun=All');
    await vi.waitFor(async () => {
      const { status, message } = await deletion();
      expect(message).toContain(`${name} is defined, and not served at present`);
      expect(status).toBe(503);
    }, WAIT);
    await serve(true);
    await vi.waitFor(async () => {
      expect(blockersOf(await deletion())).toEqual([{ kind, namespace: ns, name: 'rns' }]);
    }, WAIT);
  });
});

describe('what would newly depend on a resource that is being deleted', () => {
  test('is not made of it: a volume, a change; others are', async () => {
    const ns = await scene.namespace('around-armed');
    const held = volumeIn(ns);
    await rook.apply([
      served(Kinds.CephBlockPool, 'p', ns),
      served(Kinds.CephBlockPoolRadosNamespace, 'moved', ns, { blockPoolName: 'q' }),
      served(Kinds.CephNVMeOFGateway, 'gw', ns, { pool: 'q' }),
      held,
    ]);
    await rook.untilHeld(pool(ns));
    await deletePastTheWebhook(scene, () => rook.delete(pool(ns)));
    await vi.waitFor(async () => {
      const { status, message } = await scene.client.create(volumeIn(ns, `${ns}-new`) as never);
      expect(message).toContain(`CephBlockPool "${ns}/p" is being deleted since`);
      expect(status).toBe(403);
    }, WAIT);
    const gateway: Named = { kind: 'CephNVMeOFGateway', namespace: ns, name: 'gw' };
    expect((await rook.patch(gateway, { spec: { pool: 'p' } })).status).toBe(403);
    expect((await rook.patch(gateway, { metadata: { labels: { a: 'b' } } })).status).toBe(200);
    const foreign = servedVolume(`${ns}-foreign`, 'ebs.csi.aws.com', {});
    expect((await scene.client.create(foreign as never)).status).toBe(201);
    await rook.remove(volume(`${ns}-pv`));
    await rook.untilGone(pool(ns));
  });

  test('is not made of it: an ObjectBucket', async () => {
    const ns = await scene.namespace('around-bucket');
    const store: Named = { kind: 'CephObjectStore', namespace: ns, name: 's' };
    const user = served(Kinds.CephObjectStoreUser, 'u', ns, { store: 's' });
    const bucket = served(Kinds.ObjectBucket, `${ns}-ob`, undefined, {
      storageClassName: 'x',
      endpoint: { bucketHost: `rook-ceph-rgw-s.${ns}.svc`, bucketName: 'b', bucketPort: 80 },
    });
    await rook.apply([served(Kinds.CephObjectStore, 's', ns), user]);
    await rook.untilHeld(store);
    await deletePastTheWebhook(scene, () => rook.delete(store));
    await vi.waitFor(async () => {
      const { status, message } = await scene.client.create(bucket as never, { query: 'dryRun=All' });
      expect(message).toContain(`CephObjectStore "${ns}/s" is being deleted since`);
      expect(status).toBe(403);
    }, WAIT);
    await rook.remove({ kind: 'CephObjectStoreUser', namespace: ns, name: 'u' });
    await rook.untilGone(store);
  });

  test('is made while nobody can be asked: no volume waits for us', async () => {
    const ns = await scene.namespace('around-alone');
    await scene.killController();
    const startedMs = Date.now();
    expect((await scene.client.create(volumeIn(ns) as never)).status).toBe(201);
    expect(Date.now() - startedMs).toBeLessThan(3_000);
  });
});

describe('a cache that is late', () => {
  test('refuses a namespace for what has just come, and for nothing that has just gone', async () => {
    await scene.startController(['--watch-delay-ms', '1000']);
    const ns = await scene.namespace('around-late');
    await rook.apply([served(Kinds.CephBlockPool, 'p', ns), volumeIn(ns, `${ns}-0`)]);
    await scene.untilMarked(namespaced(ns));
    for (let round = 1; round <= 10; round++) {
      expect((await scene.client.create(volumeIn(ns, `${ns}-${round}`) as never)).status).toBe(201);
      // Until it is gone: the finalizer of Kubernetes keeps a volume for a moment, and then it is still needed.
      await rook.remove(volume(`${ns}-${round - 1}`));
      const reply = await scene.client.delete(namespaced(ns), { query: 'dryRun=All' });
      expect(reply.status).toBe(409);
      expect(blockersOf(reply)).toEqual([volume(`${ns}-${round}`)]);
    }
  });
});
