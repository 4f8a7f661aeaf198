import { Kinds } from '#pkg/object';
import { served as least, servedClass, servedVolume } from '../fixtures/served-objects.ts';
import { served } from './rook-operator.ts';

/** All 19 kinds of Rook in one namespace: two sites for objects, mirroring, NFS, shared pools. */
export function rookNamespace(namespace: string): readonly object[] {
  const make = (type: (typeof Kinds)[keyof typeof Kinds], name: string, spec: object = {}): object =>
    served(least(type, name, namespace, spec));
  const pool = { replicated: { size: 3 } };
  return [
    make(Kinds.CephCluster, 'ceph'),
    make(Kinds.CephRBDMirror, 'rbd-mirror'),
    make(Kinds.CephFilesystemMirror, 'fs-mirror'),
    make(Kinds.CephBlockPool, 'pool', { ...pool, mirroring: { enabled: true, mode: 'image' } }),
    make(Kinds.CephBlockPool, 'nfs-pool', { ...pool, name: '.nfs' }),
    make(Kinds.CephBlockPool, 'rgw-pool', pool),
    make(Kinds.CephBlockPoolRadosNamespace, 'tenant', { blockPoolName: 'pool' }),
    make(Kinds.CephNVMeOFGateway, 'gateway', { pool: 'pool' }),
    make(Kinds.CephClient, 'backup', { caps: { mon: 'profile rbd', osd: 'profile rbd pool=pool' } }),
    make(Kinds.CephFilesystem, 'fs', { mirroring: { enabled: true } }),
    make(Kinds.CephFilesystemSubVolumeGroup, 'group', { filesystemName: 'fs' }),
    make(Kinds.CephNFS, 'nfs'),
    make(Kinds.CephObjectRealm, 'realm'),
    make(Kinds.CephObjectZoneGroup, 'zone-group', { realm: 'realm' }),
    make(Kinds.CephObjectZone, 'zone', {
      zoneGroup: 'zone-group',
      metadataPool: undefined,
      dataPool: undefined,
      sharedPools: { metadataPoolName: 'rgw-pool', dataPoolName: 'rgw-pool' },
    }),
    make(Kinds.CephObjectStore, 'store', { zone: { name: 'zone' } }),
    make(Kinds.CephObjectZone, 'far-zone', { zoneGroup: 'zone-group' }),
    make(Kinds.CephObjectStore, 'far-store', { zone: { name: 'far-zone' } }),
    make(Kinds.CephObjectStoreAccount, 'account', { store: 'store' }),
    make(Kinds.CephObjectStoreUser, 'user', { store: 'store', accountRef: { name: 'account' } }),
    make(Kinds.CephBucketTopic, 'topic', { objectStoreName: 'store', objectStoreNamespace: namespace }),
    make(Kinds.CephBucketNotification, 'notification', { topic: 'topic' }),
    make(Kinds.CephCOSIDriver, 'cosi'),
    servedClass(`${namespace}-block`, `${namespace}.rbd.csi.ceph.com`, {
      clusterID: namespace,
      pool: 'pool',
    }),
  ];
}

/** What must have gone before what. */
export const ORDER: readonly (readonly [first: string, next: string])[] = [
  ['CephBlockPoolRadosNamespace/tenant', 'CephBlockPool/pool'],
  ['CephNVMeOFGateway/gateway', 'CephBlockPool/pool'],
  ['CephClient/backup', 'CephBlockPool/pool'],
  ['CephBlockPool/pool', 'CephRBDMirror/rbd-mirror'],
  ['CephFilesystemSubVolumeGroup/group', 'CephFilesystem/fs'],
  ['CephFilesystem/fs', 'CephFilesystemMirror/fs-mirror'],
  ['CephNFS/nfs', 'CephBlockPool/nfs-pool'],
  ['CephBucketNotification/notification', 'CephBucketTopic/topic'],
  ['CephBucketTopic/topic', 'CephObjectStore/store'],
  ['CephObjectStoreUser/user', 'CephObjectStoreAccount/account'],
  ['CephObjectStoreAccount/account', 'CephObjectStore/store'],
  ['CephObjectStore/store', 'CephObjectZone/zone'],
  ['CephObjectZone/zone', 'CephObjectZoneGroup/zone-group'],
  ['CephObjectZone/zone', 'CephBlockPool/rgw-pool'],
  ['CephObjectStore/far-store', 'CephObjectZone/far-zone'],
  ['CephObjectZone/far-zone', 'CephObjectZoneGroup/zone-group'],
  ['CephObjectZoneGroup/zone-group', 'CephObjectRealm/realm'],
];

/** A bound claim and its volume in the pool. */
export function claimedVolume(namespace: string, reclaimPolicy: 'Delete' | 'Retain'): readonly object[] {
  const name = `${namespace}-volume`;
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: 'data' };
  const csi = { volumeAttributes: { clusterID: namespace, pool: 'pool' } };
  const resources = { requests: { storage: '1Gi' } };
  return [
    servedVolume(name, `${namespace}.rbd.csi.ceph.com`, csi, {
      claimRef,
      persistentVolumeReclaimPolicy: reclaimPolicy,
    }),
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', volumeName: name, resources },
    },
  ];
}
