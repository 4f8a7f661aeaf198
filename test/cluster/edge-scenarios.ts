import { createHash } from 'node:crypto';
import { Kinds, ROOK_KINDS, type ResourceType } from '#pkg/object';
import { handleOf, served, servedClass, servedVolume } from '../fixtures/served-objects.ts';

/** A cause or relation as `CODE Kind/name`. */
type Expected = readonly string[];

/** One edge of the catalogue, as objects on a server and the answer that `why` owes. */
export interface EdgeScenario {
  readonly edge: string;
  readonly name: string;
  /** `ns` is the scenario's own namespace, which also tells its cluster-scoped objects apart. */
  readonly objects: (ns: string) => readonly object[];
  /** `TYPE/NAME`. */
  readonly ask: (ns: string) => string;
  readonly causes?: (ns: string) => Expected;
  readonly related?: (ns: string) => Expected;
  /** Parts of the gaps; without any, the question is asked with --no-ceph. */
  readonly gaps?: (ns: string) => readonly string[];
}

const RBD = 'rook-ceph.rbd.csi.ceph.com';
const CEPHFS = 'renamed.prefix.cephfs.csi.ceph.com';
const NFS = 'rook-ceph.nfs.csi.ceph.com';

const pool = (ns: string, name: string, spec: object = {}, status?: object): object =>
  served(Kinds.CephBlockPool, name, ns, spec, status ? { status } : {});
const store = (ns: string, name: string, spec: object = {}): object =>
  served(Kinds.CephObjectStore, name, ns, spec);
const filesystem = (ns: string, name: string, spec: object = {}): object =>
  served(Kinds.CephFilesystem, name, ns, spec);

const content = (ns: string, name: string, driver: string, source: object): object => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotContent',
  metadata: { name },
  spec: {
    driver,
    deletionPolicy: 'Retain',
    source,
    volumeSnapshotRef: { namespace: ns, name: 'snap' },
  },
});

/** What a Rook kind needs besides the least, to be accepted on its own. */
const EXTRA: Readonly<Record<string, object>> = {
  CephBlockPoolRadosNamespace: { blockPoolName: 'absent' },
  CephFilesystemSubVolumeGroup: { filesystemName: 'absent' },
  CephObjectStoreUser: { store: 'absent' },
  CephObjectStoreAccount: { store: 'absent' },
  CephObjectZoneGroup: { realm: 'absent' },
  CephObjectZone: { zoneGroup: 'absent' },
  CephBucketTopic: { objectStoreName: 'absent', objectStoreNamespace: 'absent' },
  CephBucketNotification: { topic: 'absent' },
};

function clusterId(ns: string, parent: string, type: 'block' | 'file', name: string): string {
  return createHash('sha256').update(`${ns}-${parent}-${type}-${name}`).digest('hex').slice(0, 32);
}

const ofEveryKind: readonly ResourceType[] = ROOK_KINDS.filter((kind) => kind !== Kinds.CephCluster);

export const EDGE_SCENARIOS: readonly EdgeScenario[] = [
  {
    edge: 'E1',
    name: 'every other Rook kind in the namespace holds the CephCluster',
    objects: (ns) => [
      served(Kinds.CephCluster, 'c', ns),
      ...ofEveryKind.map((kind) => served(kind, `my-${kind.singular}`.slice(0, 40), ns, EXTRA[kind.kind])),
    ],
    ask: () => 'cephcluster/c',
    causes: () => ofEveryKind.map(({ kind, singular }) => `RD001 ${kind}/${`my-${singular}`.slice(0, 40)}`),
  },
  {
    edge: 'E2',
    name: 'a rados namespace holds its pool by the name of the resource',
    objects: (ns) => [
      pool(ns, 'p'),
      served(Kinds.CephBlockPoolRadosNamespace, 'a', ns, { blockPoolName: 'p' }),
      served(Kinds.CephBlockPoolRadosNamespace, 'b', ns, { blockPoolName: 'p2' }),
    ],
    ask: () => 'cephbp/p',
    causes: () => ['RD002 CephBlockPoolRadosNamespace/a'],
  },
  {
    edge: 'E3',
    name: 'a subvolume group holds its filesystem',
    objects: (ns) => [
      filesystem(ns, 'fs'),
      served(Kinds.CephFilesystemSubVolumeGroup, 'csi', ns, { filesystemName: 'fs' }),
      served(Kinds.CephFilesystemSubVolumeGroup, 'other', ns, { filesystemName: 'fs2' }),
    ],
    ask: () => 'cephfs/fs',
    causes: () => ['RD003 CephFilesystemSubVolumeGroup/csi'],
  },
  {
    edge: 'E4',
    name: 'users hold their store, also from another namespace',
    objects: (ns) => [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${ns}-app` } },
      store(ns, 's', { allowUsersInNamespaces: [`${ns}-app`] }),
      served(Kinds.CephObjectStoreUser, 'near', ns, { store: 's' }),
      served(Kinds.CephObjectStoreUser, 'far', `${ns}-app`, { store: 's', clusterNamespace: ns }),
      served(Kinds.CephObjectStoreUser, 'stranger', `${ns}-app`, { store: 's' }),
    ],
    ask: () => 'cephos/s',
    causes: () => ['RD004 CephObjectStoreUser/near', 'RD004 CephObjectStoreUser/far'],
  },
  {
    edge: 'E5',
    name: 'an account holds its store',
    objects: (ns) => [store(ns, 's'), served(Kinds.CephObjectStoreAccount, 'acc', ns, { store: 's' })],
    ask: () => 'cephos/s',
    causes: () => ['RD005 CephObjectStoreAccount/acc'],
  },
  {
    edge: 'E6',
    name: 'a user holds its account',
    objects: (ns) => [
      served(Kinds.CephObjectStoreAccount, 'acc', ns, { store: 's' }),
      served(Kinds.CephObjectStoreUser, 'u', ns, { store: 's', accountRef: { name: 'acc' } }),
    ],
    ask: () => 'cephobjectstoreaccount/acc',
    causes: () => ['RD006 CephObjectStoreUser/u'],
  },
  {
    edge: 'E7',
    name: 'a topic holds its store, also from another namespace',
    objects: (ns) => [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${ns}-app` } },
      store(ns, 's'),
      served(Kinds.CephBucketTopic, 't', `${ns}-app`, { objectStoreName: 's', objectStoreNamespace: ns }),
    ],
    ask: () => 'cephos/s',
    causes: () => ['RD007 CephBucketTopic/t'],
  },
  {
    edge: 'E8',
    name: 'a notification holds its topic',
    objects: (ns) => [
      served(Kinds.CephBucketTopic, 't', ns, { objectStoreName: 's', objectStoreNamespace: ns }),
      served(Kinds.CephBucketNotification, 'n', ns, { topic: 't' }),
    ],
    ask: () => 'cephbt/t',
    causes: () => ['RD008 CephBucketNotification/n'],
  },
  {
    edge: 'E9',
    name: 'a bucket claim holds the notification that its label names',
    objects: (ns) => [
      served(Kinds.CephBucketNotification, 'n', ns, { topic: 't' }),
      served(
        Kinds.ObjectBucketClaim,
        'c',
        ns,
        { storageClassName: 'x' },
        { labels: { 'bucket-notification-n': 'n' } },
      ),
      served(
        Kinds.ObjectBucketClaim,
        'd',
        ns,
        { storageClassName: 'x' },
        { labels: { 'bucket-notification-n2': 'n2' } },
      ),
    ],
    ask: () => 'cephbn/n',
    causes: () => ['RD009 ObjectBucketClaim/c'],
  },
  {
    edge: 'E10',
    name: 'a store holds its zone',
    objects: (ns) => [
      served(Kinds.CephObjectZone, 'z', ns, { zoneGroup: 'g' }),
      store(ns, 's', { zone: { name: 'z' } }),
    ],
    ask: () => 'cephoz/z',
    causes: () => ['RD010 CephObjectStore/s'],
  },
  {
    edge: 'E11',
    name: 'a zone holds its zone group',
    objects: (ns) => [
      served(Kinds.CephObjectZoneGroup, 'g', ns, { realm: 'r' }),
      served(Kinds.CephObjectZone, 'z', ns, { zoneGroup: 'g' }),
    ],
    ask: () => 'cephozg/g',
    causes: () => ['RD011 CephObjectZone/z'],
  },
  {
    edge: 'E12',
    name: 'a zone group holds its realm',
    objects: (ns) => [
      served(Kinds.CephObjectRealm, 'r', ns),
      served(Kinds.CephObjectZoneGroup, 'g', ns, { realm: 'r' }),
      served(Kinds.CephObjectZoneGroup, 'h', ns, { realm: 'r2' }),
    ],
    ask: () => 'cephor/r',
    causes: () => ['RD012 CephObjectZoneGroup/g'],
  },
  {
    edge: 'E13',
    name: 'a store and a zone hold the pools they share',
    objects: (ns) => [
      pool(ns, 'shared'),
      store(ns, 's', { sharedPools: { metadataPoolName: 'meta', dataPoolName: 'shared' } }),
      served(Kinds.CephObjectZone, 'z', ns, {
        zoneGroup: 'g',
        sharedPools: {
          poolPlacements: [
            {
              name: 'default',
              default: true,
              metadataPoolName: 'meta',
              dataPoolName: 'data',
              storageClasses: [{ name: 'COLD', dataPoolName: 'shared' }],
            },
          ],
        },
      }),
    ],
    ask: () => 'cephbp/shared',
    causes: () => ['RD013 CephObjectStore/s', 'RD013 CephObjectZone/z'],
  },
  {
    edge: 'E14',
    name: 'every store holds the pool .rgw.root',
    objects: (ns) => [pool(ns, 'root', { name: '.rgw.root' }), store(ns, 's')],
    ask: () => 'cephbp/root',
    causes: () => ['RD014 CephObjectStore/s'],
  },
  {
    edge: 'E15',
    name: 'an NFS server holds the pool .nfs',
    objects: (ns) => [pool(ns, 'nfs-pool', { name: '.nfs' }), served(Kinds.CephNFS, 'n', ns)],
    ask: () => 'cephbp/nfs-pool',
    causes: () => ['RD015 CephNFS/n'],
  },
  {
    edge: 'E15',
    name: 'an NFS server of older Rook holds the filesystem whose pool it names',
    objects: (ns) => [
      filesystem(ns, 'fs'),
      served(Kinds.CephNFS, 'n', ns, { rados: { pool: 'fs-data0', namespace: 'n' } }),
    ],
    ask: () => 'cephfs/fs',
    causes: () => ['RD015 CephNFS/n'],
  },
  {
    edge: 'E16',
    name: 'an NVMe-oF gateway holds its pool',
    objects: (ns) => [pool(ns, 'nvme'), served(Kinds.CephNVMeOFGateway, 'gw', ns, { pool: 'nvme' })],
    ask: () => 'cephbp/nvme',
    causes: () => ['RD016 CephNVMeOFGateway/gw'],
  },
  {
    edge: 'E17',
    name: 'a client holds the pools of its capabilities',
    objects: (ns) => [
      pool(ns, 'p'),
      served(Kinds.CephClient, 'yes', ns, { caps: { osd: 'profile rbd pool=q, profile rbd pool=p' } }),
      served(Kinds.CephClient, 'no', ns, { caps: { osd: 'profile rbd pool=p2' } }),
    ],
    ask: () => 'cephbp/p',
    causes: () => ['RD017 CephClient/yes'],
  },
  {
    edge: 'E17',
    name: 'clients hold the filesystems of their capabilities, by name and by tag',
    objects: (ns) => [
      filesystem(ns, 'fs'),
      served(Kinds.CephClient, 'by-name', ns, { caps: { mds: 'allow rw fsname=fs path=/a' } }),
      served(Kinds.CephClient, 'by-tag', ns, { caps: { osd: 'allow rw tag cephfs data=fs' } }),
      served(Kinds.CephClient, 'no', ns, { caps: { mds: 'allow rw fsname=fs2' } }),
    ],
    ask: () => 'cephfs/fs',
    causes: () => ['RD017 CephClient/by-name', 'RD017 CephClient/by-tag'],
  },
  {
    edge: 'E18',
    name: 'a mirrored pool and a mirrored rados namespace hold the RBD mirror',
    objects: (ns) => [
      served(Kinds.CephRBDMirror, 'm', ns),
      pool(ns, 'p', { mirroring: { enabled: true, mode: 'image' } }),
      pool(ns, 'unmirrored'),
      served(Kinds.CephBlockPoolRadosNamespace, 'a', ns, {
        blockPoolName: 'p',
        mirroring: { mode: 'image' },
      }),
    ],
    ask: () => 'cephrbdmirror/m',
    causes: () => ['RD018 CephBlockPool/p', 'RD018 CephBlockPoolRadosNamespace/a'],
  },
  {
    edge: 'E19',
    name: 'a mirrored filesystem holds the filesystem mirror',
    objects: (ns) => [
      served(Kinds.CephFilesystemMirror, 'm', ns),
      filesystem(ns, 'fs', { mirroring: { enabled: true } }),
      filesystem(ns, 'plain'),
    ],
    ask: () => 'cephfsm/m',
    causes: () => ['RD019 CephFilesystem/fs'],
  },
  {
    edge: 'E20',
    name: 'a StorageClass for images is related to its pools and does not hold them',
    objects: (ns) => [
      pool(ns, 'ec'),
      servedClass(`${ns}-rbd`, RBD, { clusterID: ns, pool: 'p', dataPool: 'ec' }),
      servedClass(`${ns}-other`, RBD, { clusterID: `${ns}-other`, pool: 'ec' }),
    ],
    ask: () => 'cephbp/ec',
    related: (ns) => [`RD020 StorageClass/${ns}-rbd`],
  },
  {
    edge: 'E21',
    name: 'a StorageClass for files is related to its NFS server and does not hold it',
    objects: (ns) => [
      served(Kinds.CephNFS, 'n', ns),
      servedClass(`${ns}-nfs`, NFS, {
        clusterID: ns,
        fsName: 'fs',
        nfsCluster: 'n',
        server: 'rook-ceph-nfs-n-a',
      }),
    ],
    ask: () => 'cephnfs/n',
    related: (ns) => [`RD021 StorageClass/${ns}-nfs`],
  },
  {
    edge: 'E22',
    name: 'a StorageClass for buckets is related to its store and does not hold it',
    objects: (ns) => [
      store(ns, 's'),
      servedClass(`${ns}-bucket`, 'rook-ceph.ceph.rook.io/bucket', {
        objectStoreName: 's',
        objectStoreNamespace: ns,
      }),
    ],
    ask: () => 'cephos/s',
    related: (ns) => [`RD022 StorageClass/${ns}-bucket`],
  },
  {
    edge: 'E23',
    name: 'volumes hold the pool of their data, their journal and their image',
    objects: (ns) => [
      pool(ns, 'p', {}, { poolID: 7 }),
      servedVolume(`${ns}-image`, RBD, { volumeAttributes: { clusterID: ns, pool: 'p' } }),
      servedVolume(`${ns}-data`, RBD, { volumeAttributes: { clusterID: ns, pool: 'meta', dataPool: 'p' } }),
      servedVolume(`${ns}-handle`, RBD, { volumeHandle: handleOf(ns, 7) }),
      servedVolume(`${ns}-foreign`, 'disk.example.com', { volumeAttributes: { clusterID: ns, pool: 'p' } }),
      servedVolume(`${ns}-elsewhere`, RBD, { volumeAttributes: { clusterID: `${ns}-x`, pool: 'p' } }),
    ],
    ask: () => 'cephbp/p',
    causes: (ns) => ['data', 'handle', 'image'].map((name) => `RD023 PersistentVolume/${ns}-${name}`),
  },
  {
    edge: 'E23',
    name: 'a volume holds the rados namespace that its hashed clusterID means',
    objects: (ns) => [
      served(Kinds.CephBlockPoolRadosNamespace, 'a', ns, { blockPoolName: 'p' }),
      servedVolume(`${ns}-pv`, RBD, {
        volumeAttributes: { clusterID: clusterId(ns, 'p', 'block', 'a'), pool: 'p' },
      }),
    ],
    ask: () => 'cephrns/a',
    causes: (ns) => [`RD023 PersistentVolume/${ns}-pv`],
  },
  {
    edge: 'E23',
    name: 'a volume of a renamed driver holds filesystem and subvolume group',
    objects: (ns) => [
      filesystem(ns, 'fs'),
      served(Kinds.CephFilesystemSubVolumeGroup, 'g', ns, { filesystemName: 'fs' }),
      servedVolume(`${ns}-pv`, CEPHFS, {
        volumeAttributes: { clusterID: clusterId(ns, 'fs', 'file', 'g'), fsName: 'fs' },
      }),
    ],
    ask: () => 'cephsvg/g',
    causes: (ns) => [`RD023 PersistentVolume/${ns}-pv`],
  },
  {
    edge: 'E23',
    name: 'a volume holds the filesystem that it names',
    objects: (ns) => [
      filesystem(ns, 'fs'),
      filesystem(ns, 'other'),
      servedVolume(`${ns}-plain`, CEPHFS, { volumeAttributes: { clusterID: ns, fsName: 'fs' } }),
      servedVolume(`${ns}-other`, CEPHFS, { volumeAttributes: { clusterID: ns, fsName: 'other' } }),
    ],
    ask: () => 'cephfs/fs',
    causes: (ns) => [`RD023 PersistentVolume/${ns}-plain`],
  },
  {
    edge: 'E23',
    name: 'volumes of images and of files hold the cluster',
    objects: (ns) => [
      served(Kinds.CephCluster, 'c', ns),
      servedVolume(`${ns}-image`, RBD, { volumeAttributes: { clusterID: ns, pool: 'p' } }),
      servedVolume(`${ns}-files`, CEPHFS, { volumeAttributes: { clusterID: ns, fsName: 'fs' } }),
    ],
    ask: () => 'cephcluster/c',
    causes: (ns) => ['files', 'image'].map((name) => `RD023 PersistentVolume/${ns}-${name}`),
  },
  {
    edge: 'E23',
    name: 'volumes hold the subvolume group of their root path, and every group when nothing tells',
    objects: (ns) => [
      filesystem(ns, 'fs'),
      served(Kinds.CephFilesystemSubVolumeGroup, 'g', ns, { filesystemName: 'fs' }),
      servedVolume(`${ns}-untold`, CEPHFS, { volumeAttributes: { clusterID: ns, fsName: 'fs' } }),
      ...['g', 'h'].map((group) =>
        servedVolume(`${ns}-static-${group}`, CEPHFS, {
          volumeAttributes: { clusterID: ns, fsName: 'fs', rootPath: `/volumes/${group}/v` },
        }),
      ),
    ],
    ask: () => 'cephsvg/g',
    causes: (ns) => ['static-g', 'untold'].map((name) => `RD023 PersistentVolume/${ns}-${name}`),
  },
  {
    edge: 'E23',
    name: 'a volume holds its pool though somebody elsewhere claims its clusterID',
    objects: (ns) => [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${ns}-thief` } },
      served(Kinds.CephBlockPoolRadosNamespace, 'thief', `${ns}-thief`, {
        blockPoolName: 'p',
        clusterID: ns,
      }),
      served(Kinds.ClientProfile, ns, `${ns}-thief`, { cephConnectionRef: { name: `${ns}-thief` } }),
      pool(ns, 'p'),
      servedVolume(`${ns}-pv`, RBD, { volumeAttributes: { clusterID: ns, pool: 'p' } }),
    ],
    ask: () => 'cephbp/p',
    causes: (ns) => [`RD023 PersistentVolume/${ns}-pv`],
  },
  {
    edge: 'E23',
    name: 'a volume holds the NFS server that exports it, its claim and its pod are shown',
    objects: (ns) => [
      served(Kinds.CephNFS, 'n', ns),
      servedVolume(
        `${ns}-pv`,
        NFS,
        { volumeAttributes: { clusterID: ns, fsName: 'fs', nfsCluster: 'n' } },
        { claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: ns, name: 'claim' } },
      ),
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'app', namespace: ns },
        spec: {
          containers: [{ name: 'c', image: 'i' }],
          volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'claim' } }],
        },
      },
    ],
    ask: () => 'nfs.ceph.rook.io/n',
    causes: (ns) => [`RD023 PersistentVolume/${ns}-pv`],
    related: () => ['RD031 PersistentVolumeClaim/claim', 'RD032 Pod/app'],
  },
  {
    edge: 'E23',
    name: 'volumes do not hold the cluster where uninstalling with volumes is allowed',
    objects: (ns) => [
      served(Kinds.CephCluster, 'c', ns, { cleanupPolicy: { allowUninstallWithVolumes: true } }),
      servedVolume(`${ns}-pv`, RBD, { volumeAttributes: { clusterID: ns, pool: 'p' } }),
    ],
    ask: () => 'cephcluster/c',
    related: (ns) => [`RD023 PersistentVolume/${ns}-pv`],
  },
  {
    edge: 'E24',
    name: 'a snapshot holds the pool whose number its handle carries',
    objects: (ns) => [
      pool(ns, 'p', {}, { poolID: 11 }),
      pool(ns, 'q', {}, { poolID: 12 }),
      content(ns, `${ns}-content`, RBD, { snapshotHandle: handleOf(ns, 11) }),
    ],
    ask: () => 'cephbp/p',
    causes: (ns) => [`RD024 VolumeSnapshotContent/${ns}-content`],
    related: () => ['RD034 VolumeSnapshot/snap'],
  },
  {
    edge: 'E24',
    name: 'a snapshot whose volume is gone holds the data pool that a class tells',
    objects: (ns) => [
      pool(ns, 'meta', {}, { poolID: 21 }),
      pool(ns, 'ec', {}, { poolID: 22 }),
      servedClass(`${ns}-ec`, RBD, { clusterID: ns, pool: 'meta', dataPool: 'ec' }),
      content(ns, `${ns}-content`, RBD, { snapshotHandle: handleOf(ns, 21) }),
    ],
    ask: () => 'cephbp/ec',
    causes: (ns) => [`RD024 VolumeSnapshotContent/${ns}-content`],
    related: (ns) => [`RD020 StorageClass/${ns}-ec`, 'RD034 VolumeSnapshot/snap'],
  },
  {
    edge: 'E24',
    name: 'a snapshot of files holds the filesystem of its volume, and every one when its volume is gone',
    objects: (ns) => [
      filesystem(ns, 'fs'),
      filesystem(ns, 'other'),
      servedVolume(`${ns}-pv`, CEPHFS, { volumeAttributes: { clusterID: ns, fsName: 'other' } }),
      content(ns, `${ns}-near`, CEPHFS, { volumeHandle: `${ns}-pv` }),
      content(ns, `${ns}-gone`, CEPHFS, { snapshotHandle: handleOf(ns, 1) }),
    ],
    ask: () => 'cephfs/fs',
    causes: (ns) => [`RD024 VolumeSnapshotContent/${ns}-gone`],
    related: () => ['RD034 VolumeSnapshot/snap'],
  },
  {
    edge: 'E25',
    name: 'a bucket and its claim hold the store, by state or by host name',
    objects: (ns) => [
      store(ns, 's'),
      served(Kinds.ObjectBucket, `${ns}-new`, undefined, {
        storageClassName: 'x',
        additionalState: { objectStoreName: 's', objectStoreNamespace: ns },
      }),
      served(Kinds.ObjectBucket, `${ns}-old`, undefined, {
        storageClassName: 'x',
        endpoint: { bucketHost: `rook-ceph-rgw-s.${ns}.svc`, bucketName: 'b', bucketPort: 80 },
      }),
      served(Kinds.ObjectBucket, `${ns}-not`, undefined, {
        storageClassName: 'x',
        endpoint: { bucketHost: `rook-ceph-rgw-s2.${ns}.svc`, bucketName: 'b', bucketPort: 80 },
      }),
      served(Kinds.ObjectBucketClaim, 'claim', ns, { storageClassName: 'x', objectBucketName: `${ns}-new` }),
    ],
    ask: () => 'cephos/s',
    causes: (ns) => [
      `RD025 ObjectBucket/${ns}-new`,
      `RD025 ObjectBucket/${ns}-old`,
      'RD025 ObjectBucketClaim/claim',
    ],
  },
  {
    edge: 'E26',
    name: 'a COSI bucket holds the store that the Secret of its user belongs to',
    objects: (ns) => [
      store(ns, 's'),
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'cosi-user', namespace: ns, labels: { rook_object_store: 's' } },
      },
      served(Kinds.CosiBucket, `${ns}-bucket`, undefined, {
        driverName: 'rook-ceph.ceph.objectstorage.k8s.io',
        bucketClassName: 'x',
        deletionPolicy: 'Delete',
        protocols: ['s3'],
        bucketClaim: { namespace: ns, name: 'claim' },
        parameters: { objectStoreUserSecretName: 'cosi-user', objectStoreUserSecretNamespace: ns },
      }),
    ],
    ask: () => 'cephos/s',
    causes: (ns) => [`RD026 Bucket/${ns}-bucket`],
    related: () => ['RD036 BucketClaim/claim'],
  },
  {
    edge: 'E27',
    name: 'what only Ceph can tell is not checked, and an empty pool is not called deletable',
    objects: (ns) => [served(Kinds.CephCluster, 'c', ns), pool(ns, 'p')],
    ask: () => 'cephbp/p',
    gaps: () => ['RBD images, snapshots and objects in pool p'],
  },
  {
    edge: 'E28',
    name: 'peer zones hold the store of the zone that was made first',
    objects: (ns) => [
      served(Kinds.CephCluster, 'c', ns),
      served(Kinds.CephObjectRealm, 'r', ns),
      served(Kinds.CephObjectZoneGroup, 'g', ns, { realm: 'r' }),
      served(Kinds.CephObjectZone, 'zone-a', ns, { zoneGroup: 'g' }),
      store(ns, 'a', { zone: { name: 'zone-a' } }),
      SECOND_LATER,
      served(Kinds.CephObjectZone, 'zone-b', ns, { zoneGroup: 'g' }),
      store(ns, 'b', { zone: { name: 'zone-b' } }),
    ],
    ask: () => 'cephos/a',
    causes: () => ['RD028 CephObjectZone/zone-b'],
    gaps: () => ['buckets in object store a', 'peers of zone zone-a in other clusters'],
  },
  {
    edge: 'E29',
    name: 'CSI connections and profiles are related to the cluster and do not hold it',
    objects: (ns) => [
      served(Kinds.CephCluster, 'c', ns),
      served(Kinds.CephConnection, ns, 'default', { monitors: ['10.0.0.1:3300'] }),
      served(Kinds.ClientProfile, `${ns}-profile`, 'default', { cephConnectionRef: { name: ns } }),
    ],
    ask: () => 'cephcluster/c',
    related: (ns) => [`RD029 CephConnection/${ns}`, `RD029 ClientProfile/${ns}-profile`],
  },
];

/** Stands between objects whose ages must differ: the server counts whole seconds. */
export const SECOND_LATER: object = Object.freeze({ pause: true });
