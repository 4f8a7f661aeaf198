import { test } from 'vitest';
import { Kinds } from '#pkg/object';
import {
  aCluster,
  aFilesystem,
  aHandle,
  anObject,
  aPool,
  aProfile,
  aRadosNamespace,
  aSubVolumeGroup,
  aVolume,
} from '#test/fixtures/objects.ts';
import { expectEdges, type RuleRow } from '#test/fixtures/rule-rows.ts';

const RBD = 'rook-ceph.rbd.csi.ceph.com';
const CEPHFS = 'rook-ceph.cephfs.csi.ceph.com';
const GROUP_ID = '4df0bb6e1b7ddc0c1ea080cbe043dd1a';
const RADOS_ID = '80fc4f4bacc064be641633e6ed25ba7e';

const taken = (snapshotHandle: string, driver = RBD, source: object = {}) =>
  anObject(Kinds.VolumeSnapshotContent, 's', { spec: { driver, source }, status: { snapshotHandle } });
const numbered = (name: string, poolID: number) => aPool(name, { status: { poolID } });
const to = (provider: string, field = 'status.snapshotHandle') =>
  `VolumeSnapshotContent s → ${provider} at ${field}`;

test.for<RuleRow>([
  {
    name: 'leads to the pool of the number in its handle',
    objects: [taken(aHandle('rook-ceph', 3)), numbered('p', 3), numbered('q', 4), aPool('r'), aCluster()],
    edges: [to('CephBlockPool rook-ceph/p')],
  },
  {
    name: 'reads the handle of a content made by hand',
    objects: [
      anObject(Kinds.VolumeSnapshotContent, 's', {
        spec: { driver: RBD, source: { snapshotHandle: aHandle('rook-ceph', 3) } },
      }),
      numbered('p', 3),
    ],
    edges: [to('CephBlockPool rook-ceph/p', 'spec.source.snapshotHandle')],
  },
  {
    name: 'leads to every pool of unknown number when no pool is known by it',
    objects: [taken(aHandle('rook-ceph', 3)), numbered('p', 4), aPool('q'), aPool('r')],
    edges: [to('CephBlockPool rook-ceph/q'), to('CephBlockPool rook-ceph/r')],
  },
  {
    name: 'leads to where the volume lies that it was taken of',
    objects: [
      taken(aHandle('rook-ceph', 3), RBD, { volumeHandle: 'of-volume' }),
      aVolume('v', {
        handle: 'of-volume',
        attributes: { clusterID: 'rook-ceph', pool: 'p', dataPool: 'ec' },
      }),
      aVolume('w', { handle: 'of-volume-2', attributes: { clusterID: 'rook-ceph', pool: 'q' } }),
      aCluster(),
      aPool('p'),
      aPool('ec'),
      numbered('q', 3),
    ],
    edges: [to('CephBlockPool rook-ceph/p'), to('CephBlockPool rook-ceph/ec')],
  },
  {
    name: 'falls back to the number when that volume is gone',
    objects: [taken(aHandle('rook-ceph', 3), RBD, { volumeHandle: 'gone' }), numbered('p', 3), aPool('q')],
    edges: [to('CephBlockPool rook-ceph/p')],
  },
  {
    name: 'leads to the rados namespace of its clusterID',
    objects: [
      taken(aHandle(RADOS_ID, 3)),
      numbered('replicapool', 3),
      aRadosNamespace('namespace-a', 'replicapool'),
      aRadosNamespace('namespace-b', 'replicapool'),
    ],
    edges: [
      to('CephBlockPool rook-ceph/replicapool'),
      to('CephBlockPoolRadosNamespace rook-ceph/namespace-a'),
    ],
  },
  {
    name: 'leads to the subvolume group of its clusterID, and to its filesystem alone',
    objects: [
      taken(aHandle(GROUP_ID, 1), CEPHFS),
      aFilesystem('myfs'),
      aFilesystem('other'),
      aSubVolumeGroup('group-a', 'myfs'),
      aSubVolumeGroup('group-b', 'myfs'),
      aProfile(GROUP_ID, 'rook-ceph', { cephFs: { subVolumeGroup: 'group-a' } }),
    ],
    edges: [to('CephFilesystem rook-ceph/myfs'), to('CephFilesystemSubVolumeGroup rook-ceph/group-a')],
  },
  {
    name: 'leads to every filesystem without a group',
    objects: [
      taken(aHandle('rook-ceph', 1), CEPHFS),
      aFilesystem('a'),
      aFilesystem('b'),
      numbered('p', 1),
      aSubVolumeGroup('g', 'a'),
    ],
    edges: [to('CephFilesystem rook-ceph/a'), to('CephFilesystem rook-ceph/b')],
  },
  {
    name: 'leads to the filesystem and group of the volume it was taken of',
    objects: [
      taken(aHandle('rook-ceph', 1), CEPHFS, { volumeHandle: 'of-volume' }),
      aVolume('v', {
        driver: CEPHFS,
        handle: 'of-volume',
        attributes: { clusterID: 'rook-ceph', fsName: 'a', subvolumePath: '/volumes/g/csi-vol-1/uuid' },
      }),
      aFilesystem('a'),
      aFilesystem('b'),
      aSubVolumeGroup('g', 'a'),
    ],
    edges: [to('CephFilesystem rook-ceph/a'), to('CephFilesystemSubVolumeGroup rook-ceph/g')],
  },
  {
    name: 'follows a client profile of another name',
    objects: [taken(aHandle('profile', 3)), aProfile('profile', 'rook-ceph'), numbered('p', 3)],
    edges: [to('CephBlockPool rook-ceph/p')],
  },
  {
    name: 'leads to the pool of its volume while it is being taken',
    objects: [
      {
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshotContent',
        metadata: { name: 's' },
        spec: { driver: RBD, source: { volumeHandle: aHandle('rook-ceph', 3) } },
      },
      numbered('p', 3),
      numbered('q', 4),
    ],
    edges: [to('CephBlockPool rook-ceph/p', 'spec.source.volumeHandle')],
  },
  {
    name: 'stays in the cluster of its clusterID',
    objects: [taken(aHandle('rook-ceph', 3)), aPool('p', { namespace: 'other', status: { poolID: 3 } })],
    edges: [],
  },
  ...['rbd.csi.ceph.com.evil', 'xrbd.csi.ceph.com', 'ebs.csi.aws.com'].map((driver) => ({
    name: `leaves snapshots of ${driver} alone`,
    objects: [taken(aHandle('rook-ceph', 3), driver), numbered('p', 3)],
    edges: [],
  })),
  ...['free-text', '0001-0009-rook-ceph-0000000000000003', ''].map((handle) => ({
    name: `finds nothing by the handle ${JSON.stringify(handle)}`,
    objects: [taken(handle), numbered('p', 3), aPool('q')],
    edges: [],
  })),
])('RD024 (E24) $name', (row) => {
  expectEdges('RD024', row);
});
