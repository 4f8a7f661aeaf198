import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DESTROY_DATA, Kinds, listAt, ROOK_KINDS, textAt } from '#pkg/object';
import { served } from '../fixtures/served-objects.ts';
import type { Target } from './client.ts';
import { RookObjects } from './rook-objects.ts';
import { RookStandIn, served as withFinalizer } from './rook-operator.ts';
import { Scene } from './scene.ts';

let scene: Scene;
let rook: RookObjects;

beforeAll(async () => {
  scene = await Scene.open();
  rook = new RookObjects(scene);
}, 180_000);

afterAll(() => scene?.close());

/** A namespace in which every kind of Rook's depends on others: eight layers. */
const cluster = (ns: string, cleanupPolicy = {}): readonly object[] =>
  [
    served(Kinds.CephCluster, 'c', ns, { cleanupPolicy }),
    served(Kinds.CephBlockPool, 'p', ns, { mirroring: { enabled: true, mode: 'image' } }),
    served(Kinds.CephBlockPoolRadosNamespace, 'rns', ns, {
      blockPoolName: 'p',
      mirroring: { mode: 'image' },
    }),
    served(Kinds.CephRBDMirror, 'm', ns),
    served(Kinds.CephFilesystem, 'fs', ns, { mirroring: { enabled: true } }),
    served(Kinds.CephFilesystemSubVolumeGroup, 'g', ns, { filesystemName: 'fs' }),
    served(Kinds.CephFilesystemMirror, 'fm', ns),
    served(Kinds.CephObjectRealm, 'r', ns),
    served(Kinds.CephObjectZoneGroup, 'zg', ns, { realm: 'r' }),
    served(Kinds.CephObjectZone, 'z', ns, { zoneGroup: 'zg' }),
    served(Kinds.CephObjectStore, 's', ns, { zone: { name: 'z' } }),
    served(Kinds.CephObjectStoreAccount, 'a', ns, { store: 's' }),
    served(Kinds.CephObjectStoreUser, 'u', ns, { store: 's', accountRef: { name: 'a' } }),
    served(Kinds.CephBucketTopic, 't', ns, { objectStoreName: 's', objectStoreNamespace: ns }),
    served(Kinds.CephBucketNotification, 'n', ns, { topic: 't' }),
    served(Kinds.CephNFS, 'nfs', ns, { rados: { pool: 'fs-data0', namespace: 'nfs' } }),
    served(Kinds.CephNVMeOFGateway, 'gw', ns, { pool: 'p' }),
    served(Kinds.CephClient, 'cl', ns, { caps: { osd: 'profile rbd pool=p' } }),
    served(Kinds.CephCOSIDriver, 'd', ns),
  ].map(withFinalizer);

/** Each before what it depends on. */
const ORDER: readonly (readonly [first: string, then: string])[] = [
  ['CephBlockPoolRadosNamespace', 'CephBlockPool'],
  ['CephClient', 'CephBlockPool'],
  ['CephNVMeOFGateway', 'CephBlockPool'],
  ['CephBlockPool', 'CephRBDMirror'],
  ['CephFilesystemSubVolumeGroup', 'CephFilesystem'],
  ['CephNFS', 'CephFilesystem'],
  ['CephFilesystem', 'CephFilesystemMirror'],
  ['CephBucketNotification', 'CephBucketTopic'],
  ['CephBucketTopic', 'CephObjectStore'],
  ['CephObjectStoreUser', 'CephObjectStoreAccount'],
  ['CephObjectStoreAccount', 'CephObjectStore'],
  ['CephObjectStore', 'CephObjectZone'],
  ['CephObjectZone', 'CephObjectZoneGroup'],
  ['CephObjectZoneGroup', 'CephObjectRealm'],
];

const namespaced = (name: string): Target => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

async function untilDrained(ns: string): Promise<void> {
  await vi.waitFor(async () => expect(await scene.client.read(namespaced(ns))).toBeUndefined(), {
    timeout: 60_000,
    interval: 200,
  });
}

test('a namespace with all 19 kinds drains within a minute, dependents before what they depend on', async () => {
  const ns = await scene.namespace('rook-ceph');
  const objects = cluster(ns);
  expect(new Set(objects.map((object) => (object as { kind: string }).kind)).size).toBe(ROOK_KINDS.length);
  await rook.apply(objects);
  for (const [kind, name] of [
    ['CephCluster', 'c'],
    ['CephBlockPool', 'p'],
  ] as const)
    await rook.untilHeld({ kind, namespace: ns, name });

  const operator = new RookStandIn(scene.client, ns);
  const startedMs = Date.now();
  await scene.install.kubectl(['delete', 'namespace', ns, '--wait=false']);
  await untilDrained(ns);
  expect(Date.now() - startedMs).toBeLessThan(60_000);
  await operator.end();
  const names = operator.gone.map((name) => name.split('/')[0] ?? '');
  expect(names).toHaveLength(ROOK_KINDS.length);
  for (const [first, then] of ORDER)
    expect(names.indexOf(first), `${first} before ${then}`).toBeLessThan(names.indexOf(then));
  expect(names.at(-1)).toBe('CephCluster');
}, 120_000);

test('a namespace without anything of Rook is left alone', async () => {
  const ns = await scene.namespace('plain');
  const target = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'held', namespace: ns } };
  await scene.make({
    ...target,
    metadata: { ...target.metadata, finalizers: ['example.com/held'] },
  } as typeof target);
  await scene.client.delete({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
  await scene.untilTerminating(target);
  const namespace = await scene.client.read({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
  expect(Object.keys(namespace?.metadata.labels ?? {})).toEqual(['kubernetes.io/metadata.name']);
  await scene.client.patch(target, { metadata: { finalizers: null } });
});

describe('where Ceph has to be asked and cannot be', () => {
  beforeAll(async () => {
    await scene.killController();
    await scene.restartController(['--ceph=require']);
  }, 60_000);

  test('a namespace with all 19 kinds drains within a minute if its cluster bears yes-really-destroy-data', async () => {
    const ns = await scene.namespace('destroyed');
    await rook.apply(cluster(ns, { confirmation: DESTROY_DATA }));
    await rook.untilHeld({ kind: 'CephFilesystem', namespace: ns, name: 'fs' });
    await scene.untilMarked(namespaced(ns));
    const operator = new RookStandIn(scene.client, ns);
    expect((await scene.client.delete(namespaced(ns))).status).toBe(200);
    await untilDrained(ns);
    await operator.end();
    expect(operator.gone).toHaveLength(ROOK_KINDS.length);
  }, 120_000);

  test('without that word nothing that may hold data goes, the namespace tells the ways out, and the word is one', async () => {
    const ns = await scene.namespace('kept');
    await rook.apply(
      [
        served(Kinds.CephCluster, 'c', ns),
        served(Kinds.CephBlockPool, 'p', ns),
        served(Kinds.CephClient, 'cl', ns, { caps: { osd: 'profile rbd pool=p' } }),
      ].map(withFinalizer),
    );
    await rook.untilHeld({ kind: 'CephBlockPool', namespace: ns, name: 'p' });
    await scene.untilMarked(namespaced(ns));
    expect((await scene.client.delete(namespaced(ns))).status).toBe(503);
    await scene.client.patch(namespaced(ns), {
      metadata: { annotations: { 'rook-deps.io/force-delete': 'the test wants it' } },
    });
    const operator = new RookStandIn(scene.client, ns);
    expect((await scene.client.delete(namespaced(ns))).status).toBe(200);
    await vi.waitFor(
      async () => {
        const namespace = await scene.client.read(namespaced(ns));
        const told = listAt(namespace, 'status', 'conditions').map((one) => textAt(one, 'message'));
        expect(told.join()).toMatch(/cannot tell .*yes-really-destroy-data/s);
        expect(operator.gone).toEqual(['CephClient/cl']);
      },
      { timeout: 30_000, interval: 200 },
    );
    const named = { kind: 'CephCluster', namespace: ns, name: 'c' };
    await rook.patch(named, { spec: { cleanupPolicy: { confirmation: DESTROY_DATA } } });
    await untilDrained(ns);
    await operator.end();
  }, 120_000);
});
