import { test } from 'vitest';
import { Kinds } from '#pkg/object';
import {
  aClass,
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
    edges: [
      to('CephFilesystem rook-ceph/a'),
      to('CephFilesystem rook-ceph/b'),
      to('CephFilesystemSubVolumeGroup rook-ceph/g'),
    ],
  },
  {
    name: 'follows a client profile to its rados namespace, in the pool of the number',
    objects: [
      taken(aHandle('tenant', 3)),
      aProfile('tenant', 'rook-ceph', { rbd: { radosNamespace: 'ns' } }),
      numbered('p', 3),
      numbered('q', 4),
      aRadosNamespace('a', 'p', { spec: { name: 'ns' } }),
      aRadosNamespace('b', 'q', { spec: { name: 'ns' } }),
      aRadosNamespace('ns', 'p', { spec: { name: 'other' } }),
    ],
    edges: [to('CephBlockPool rook-ceph/p'), to('CephBlockPoolRadosNamespace rook-ceph/a')],
  },
  {
    name: 'follows a client profile to its subvolume group',
    objects: [
      taken(aHandle('tenant', 1), CEPHFS),
      aProfile('tenant', 'rook-ceph', { cephFs: { subVolumeGroup: 'g' } }),
      aFilesystem('a'),
      aSubVolumeGroup('g', 'a'),
      aSubVolumeGroup('h', 'a'),
    ],
    edges: [to('CephFilesystem rook-ceph/a'), to('CephFilesystemSubVolumeGroup rook-ceph/g')],
  },
  {
    name: 'follows classes to the data pools of erasure coding when its volume is gone',
    objects: [
      taken(aHandle('rook-ceph', 4)),
      numbered('meta', 4),
      ...['ec', 'ec2', 'ec3', 'ec4', 'ec5'].map((name, at) => numbered(name, 10 + at)),
      aClass('a', RBD, { clusterID: 'rook-ceph', pool: 'meta', dataPool: 'ec' }),
      aClass('b', RBD, {
        clusterID: 'rook-ceph',
        topologyConstrainedPools: '[{"poolName":"meta","dataPool":"ec2"},{"poolName":"x","dataPool":"ec3"}]',
      }),
      aClass('c', RBD, { clusterID: 'other', pool: 'meta', dataPool: 'ec4' }),
      aClass('d', RBD, { clusterID: 'rook-ceph', pool: 'other', dataPool: 'ec4' }),
      aClass('e', CEPHFS, { clusterID: 'rook-ceph', pool: 'meta', dataPool: 'ec5' }),
    ],
    edges: ['meta', 'ec', 'ec2'].map((pool) => to(`CephBlockPool rook-ceph/${pool}`)),
  },
  {
    name: 'does not take a volume of another driver for the one it was taken of',
    objects: [
      taken(aHandle('rook-ceph', 3), RBD, { volumeHandle: 'x' }),
      aVolume('v', { driver: CEPHFS, handle: 'x', attributes: { clusterID: 'rook-ceph', fsName: 'fs' } }),
      numbered('p', 3),
      aFilesystem('fs'),
    ],
    edges: [to('CephBlockPool rook-ceph/p')],
  },
  {
    name: 'reads the handle of its volume when its own is free text',
    objects: [taken('free-text', RBD, { volumeHandle: aHandle('rook-ceph', 3) }), numbered('p', 3)],
    edges: [to('CephBlockPool rook-ceph/p', 'spec.source.volumeHandle')],
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
