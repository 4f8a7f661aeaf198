import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Kinds, ROOK_KINDS } from '#pkg/object';
import { served } from '../fixtures/served-objects.ts';
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
const cluster = (ns: string): readonly object[] =>
  [
    served(Kinds.CephCluster, 'c', ns),
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
  await vi.waitFor(
    async () =>
      expect(
        await scene.client.read({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } }),
      ).toBeUndefined(),
    { timeout: 60_000, interval: 200 },
  );
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
