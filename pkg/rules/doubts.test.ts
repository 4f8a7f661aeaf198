import { describe, expect, test } from 'vitest';
import { Kinds, refOf, type KubeObject, type ResourceType } from '#pkg/object';
import {
  aClass,
  aCluster,
  aFilesystem,
  aHandle,
  anObject,
  aPool,
  aProfile,
  aRadosNamespace,
  aStore,
  aSubVolumeGroup,
  aVolume,
  type Parts,
} from '#test/fixtures/objects.ts';
import { DependencyIndex } from './dependency-index.ts';

const CEPHFS = 'rook-ceph.cephfs.csi.ceph.com';
const RBD = 'rook-ceph.rbd.csi.ceph.com';
const NFS = 'rook-ceph.nfs.csi.ceph.com';
const COSI = 'rook-ceph.ceph.objectstorage.k8s.io';
const SECRET = 'rook-ceph-object-user-s-u';
const BUCKET_CLASS = 'rook-ceph.ceph.rook.io/bucket';

const providers: readonly KubeObject[] = [
  aCluster(),
  aPool('p'),
  aRadosNamespace('n', 'p'),
  aFilesystem('f'),
  aSubVolumeGroup('g', 'f'),
  anObject(Kinds.CephNFS, 'nfs'),
  aStore('s'),
];
const BLOCK = ['CephCluster', 'CephBlockPool', 'CephBlockPoolRadosNamespace'];
const FILE = ['CephCluster', 'CephFilesystem', 'CephFilesystemSubVolumeGroup'];

const aSnapshot = (driver: string, source: object) =>
  anObject(Kinds.VolumeSnapshotContent, 'snap', { spec: { driver, source } });
const aBucket = (type: ResourceType, spec: object, parts: Parts = {}) =>
  anObject(type, 'b', { ...parts, spec });
const aCosiBucket = (parameters: object, driverName = COSI) =>
  aBucket(Kinds.CosiBucket, { driverName, parameters });
const aUser = (namespace: string) =>
  anObject(Kinds.CephObjectStoreUser, 'u', { namespace, spec: { store: 's' } });

/** The kinds of providers that something may be stored in, nobody knows. */
function doubtful(objects: readonly KubeObject[]): readonly string[] {
  const index = new DependencyIndex([...providers, ...objects]);
  return providers.filter((one) => index.doubtsAbout(refOf(one)).length > 0).map(({ kind }) => kind);
}

describe('a doubt', () => {
  test('tells the object and the reason, in the order of references', () => {
    const index = new DependencyIndex([aVolume('w'), aVolume('v'), aSnapshot(RBD, { snapshotHandle: 'x' })]);
    const reason = 'cannot tell where it is stored';
    expect(index.doubtsAbout(refOf(aPool('any')))).toEqual([
      { object: { group: '', kind: 'PersistentVolume', name: 'v' }, reason },
      { object: { group: '', kind: 'PersistentVolume', name: 'w' }, reason },
      {
        object: { group: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshotContent', name: 'snap' },
        reason,
      },
    ]);
  });

  test('goes when the object tells, and comes back', () => {
    const index = new DependencyIndex([aVolume('v')]);
    const count = () => index.doubtsAbout(refOf(aPool('p'))).length;
    index.add([aVolume('v', { attributes: { clusterID: 'rook-ceph' } })]);
    expect(count()).toBe(0);
    index.add([aVolume('v')]);
    expect(count()).toBe(1);
    index.remove(refOf(aVolume('v')));
    expect(count()).toBe(0);
  });

  test('goes when another object tells', () => {
    const bucket = aBucket(Kinds.ObjectBucket, {
      storageClassName: 'sc',
      additionalState: { cephUser: 'u' },
    });
    const index = new DependencyIndex([bucket]);
    expect(index.doubtsAbout(refOf(aStore('s')))).toHaveLength(1);
    index.add([aClass('sc', BUCKET_CLASS, { objectStoreName: 's', objectStoreNamespace: 'rook-ceph' })]);
    expect(index.doubtsAbout(refOf(aStore('s')))).toEqual([]);
  });

  test('is lifted where a cluster may be uninstalled with volumes, and only there', () => {
    const cleanupPolicy = { allowUninstallWithVolumes: true };
    const index = new DependencyIndex([
      aVolume('v'),
      aCluster('rook-ceph', { spec: { cleanupPolicy } }),
      aCluster('c', { namespace: 'other' }),
    ]);
    expect(index.doubtsAbout(refOf(aPool('p')))).toEqual([]);
    expect(index.doubtsAbout(refOf(aPool('p', { namespace: 'other' })))).toHaveLength(1);
  });
});

test.for<{ name: string; objects: readonly KubeObject[]; about: readonly string[] }>([
  {
    name: 'an image without any clusterID',
    objects: [aVolume('v', { attributes: { pool: 'p' } })],
    about: BLOCK,
  },
  { name: 'a CephFS volume without any clusterID', objects: [aVolume('v', { driver: CEPHFS })], about: FILE },
  {
    name: 'an NFS volume without any clusterID',
    objects: [aVolume('v', { driver: NFS })],
    about: [...FILE, 'CephNFS'],
  },
  {
    name: 'a snapshot with a handle of free text',
    objects: [aSnapshot(RBD, { snapshotHandle: 'free' })],
    about: BLOCK.slice(1),
  },
  {
    name: 'a snapshot of a volume that does not tell either',
    objects: [aSnapshot(CEPHFS, { volumeHandle: 'v' }), aVolume('v', { driver: CEPHFS })],
    about: FILE,
  },
  {
    name: 'a bucket with the label of Rook',
    objects: [
      aBucket(
        Kinds.ObjectBucket,
        { endpoint: { bucketHost: 's3.example' } },
        { labels: { 'bucket-provisioner': 'rook-ceph.ceph.rook.io-bucket' } },
      ),
    ],
    about: ['CephObjectStore'],
  },
  {
    name: 'a bucket of a class that names no store',
    objects: [aBucket(Kinds.ObjectBucket, { storageClassName: 'sc' }), aClass('sc', BUCKET_CLASS, {})],
    about: ['CephObjectStore'],
  },
  {
    name: 'a claim to a bucket of a class that names no store',
    objects: [aBucket(Kinds.ObjectBucketClaim, { storageClassName: 'sc' }), aClass('sc', BUCKET_CLASS, {})],
    about: ['CephObjectStore'],
  },
  { name: 'a COSI bucket without a Secret', objects: [aCosiBucket({})], about: ['CephObjectStore'] },
  {
    name: 'a COSI bucket whose Secret nobody has',
    objects: [
      aCosiBucket({ objectStoreUserSecretName: SECRET, objectStoreUserSecretNamespace: 'rook-ceph' }),
    ],
    about: ['CephObjectStore'],
  },
  {
    name: 'a COSI bucket whose Secret two users may have',
    objects: [aCosiBucket({ objectStoreUserSecretName: SECRET }), aUser('rook-ceph'), aUser('other')],
    about: ['CephObjectStore'],
  },
])('$name is in doubt', ({ objects, about }) => {
  expect(doubtful(objects)).toEqual(about);
});

test.for<{ name: string; objects: readonly KubeObject[] }>([
  { name: 'a volume of another driver', objects: [aVolume('v', { driver: 'ebs.csi.aws.com' })] },
  {
    name: 'a volume with a clusterID of another namespace',
    objects: [aVolume('v', { attributes: { clusterID: 'other', pool: 'gone' } })],
  },
  { name: 'a volume with a clusterID in its handle', objects: [aVolume('v', { handle: aHandle('x', 1) })] },
  {
    name: 'a volume with the clusterID of a profile',
    objects: [aVolume('v', { attributes: { clusterID: 'profile' } }), aProfile('profile', 'other')],
  },
  { name: 'a snapshot of another driver', objects: [aSnapshot('ebs.csi.aws.com', { snapshotHandle: 'x' })] },
  { name: 'a snapshot that tells', objects: [aSnapshot(RBD, { snapshotHandle: aHandle('other', 1) })] },
  {
    name: 'a snapshot of a volume that tells',
    objects: [
      aSnapshot(RBD, { volumeHandle: 'v' }),
      aVolume('v', { attributes: { clusterID: 'other', pool: 'p' } }),
    ],
  },
  {
    name: 'a bucket of another provisioner',
    objects: [
      aBucket(
        Kinds.ObjectBucket,
        { storageClassName: 'sc' },
        { labels: { 'bucket-provisioner': 'noobaa.io-obc' } },
      ),
      aClass('sc', 'noobaa.io/obc', {}),
    ],
  },
  {
    name: 'a bucket in another store',
    objects: [
      aBucket(Kinds.ObjectBucket, {
        additionalState: { objectStoreName: 'x', objectStoreNamespace: 'other', cephUser: 'u' },
      }),
    ],
  },
  { name: 'a COSI bucket of another driver', objects: [aCosiBucket({}, 'cosi.example.com')] },
  {
    name: 'a COSI bucket of the only user',
    objects: [aCosiBucket({ objectStoreUserSecretName: SECRET }), aUser('rook-ceph')],
  },
])('$name is in no doubt', ({ objects }) => {
  expect(doubtful(objects)).toEqual([]);
});
