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
  aStore,
  aSubVolumeGroup,
  aVolume,
} from '#test/fixtures/objects.ts';
import { expectEdges, type RuleRow } from '#test/fixtures/rule-rows.ts';

const CEPHFS = 'rook-ceph.cephfs.csi.ceph.com';
const to = (provider: string, key: string, detail = '') =>
  `PersistentVolume v → ${provider} at spec.csi.volumeAttributes.${key}${detail}`;
const cluster = to('CephCluster rook-ceph/rook-ceph', 'clusterID');
const groups = [
  aSubVolumeGroup('a', 'fs', { spec: { name: 'group-a' } }),
  aSubVolumeGroup('b', 'fs', { spec: { name: 'group-b' } }),
  aSubVolumeGroup('c', 'fs2', { spec: { name: 'group-b' } }),
  aSubVolumeGroup('d', 'fs', { namespace: 'other', spec: { name: 'group-b' } }),
];

test.for<RuleRow>([
  {
    name: 'leads to the cluster and the pool',
    objects: [
      aVolume('v', { attributes: { clusterID: 'rook-ceph', pool: 'p' } }),
      aCluster(),
      aPool('p'),
      aPool('p-2'),
      aPool('v'),
    ],
    edges: [cluster, to('CephBlockPool rook-ceph/p', 'pool')],
  },
  {
    name: 'leads to the data pool of erasure coding, and to the journal pool',
    objects: [
      aVolume('v', { attributes: { clusterID: 'rook-ceph', pool: 'p', dataPool: 'ec', journalPool: 'j' } }),
      ...['p', 'ec', 'j'].map((name) => aPool(name)),
    ],
    edges: [
      to('CephBlockPool rook-ceph/p', 'pool'),
      to('CephBlockPool rook-ceph/ec', 'dataPool'),
      to('CephBlockPool rook-ceph/j', 'journalPool'),
    ],
  },
  {
    name: 'names a pool once that is pool and journal pool',
    objects: [
      aVolume('v', { attributes: { clusterID: 'rook-ceph', pool: 'p', journalPool: 'p' } }),
      aPool('p'),
    ],
    edges: [to('CephBlockPool rook-ceph/p', 'pool')],
  },
  {
    name: 'means the name inside Ceph',
    objects: [
      aVolume('v', { attributes: { clusterID: 'rook-ceph', pool: '.mgr' } }),
      aPool('x', { spec: { name: '.mgr' } }),
      aPool('.mgr', { spec: { name: '.nfs' } }),
    ],
    edges: [to('CephBlockPool rook-ceph/x', 'pool')],
  },
  {
    name: 'finds a static image by its attributes',
    objects: [
      aVolume('v', {
        handle: 'image',
        attributes: { clusterID: 'rook-ceph', pool: 'p', staticVolume: 'true' },
      }),
      aPool('p'),
      aPool('image'),
    ],
    edges: [to('CephBlockPool rook-ceph/p', 'pool')],
  },
  ...['my.prefix.rbd.csi.ceph.com', 'rbd.csi.ceph.com', 'rook-ceph.nvmeof.csi.ceph.com'].map((driver) => ({
    name: `knows the driver ${driver}`,
    objects: [aVolume('v', { driver, attributes: { clusterID: 'rook-ceph', pool: 'p' } }), aPool('p')],
    edges: [to('CephBlockPool rook-ceph/p', 'pool')],
  })),
  ...['rbd.csi.ceph.com.evil', 'xrbd.csi.ceph.com', 'ebs.csi.aws.com'].map((driver) => ({
    name: `leaves volumes of ${driver} alone`,
    objects: [
      aVolume('v', {
        driver,
        handle: aHandle('rook-ceph', 1),
        attributes: { clusterID: 'rook-ceph', pool: 'p' },
      }),
      aCluster(),
      aPool('p', { status: { poolID: 1 } }),
    ],
    edges: [],
  })),
  {
    name: 'leads to the rados namespace of a hashed clusterID',
    objects: [
      aVolume('v', { attributes: { clusterID: '80fc4f4bacc064be641633e6ed25ba7e', pool: 'replicapool' } }),
      aCluster(),
      aPool('replicapool'),
      aRadosNamespace('namespace-a', 'replicapool'),
      aRadosNamespace('namespace-b', 'replicapool'),
      // Rook writes a profile for it, too.
      aProfile('80fc4f4bacc064be641633e6ed25ba7e', 'rook-ceph', { rbd: { radosNamespace: 'namespace-a' } }),
    ],
    edges: [
      cluster,
      to('CephBlockPool rook-ceph/replicapool', 'pool'),
      to('CephBlockPoolRadosNamespace rook-ceph/namespace-a', 'clusterID'),
    ],
  },
  {
    name: 'leads to the rados namespace with a clusterID of its own, in the status or in the spec',
    objects: [
      aVolume('v', { attributes: { clusterID: 'mine', pool: 'p' } }),
      aPool('p'),
      aRadosNamespace('a', 'p', { spec: { clusterID: 'mine' } }),
      aRadosNamespace('b', 'p', { status: { info: { clusterID: 'mine' } } }),
      aRadosNamespace('mine', 'p'),
    ],
    edges: [
      to('CephBlockPool rook-ceph/p', 'pool'),
      to('CephBlockPoolRadosNamespace rook-ceph/a', 'clusterID'),
      to('CephBlockPoolRadosNamespace rook-ceph/b', 'clusterID'),
    ],
  },
  {
    name: 'leads to the implicit rados namespace',
    objects: [
      aVolume('v', { attributes: { clusterID: 'bac74e3bd0064d4fd1c9457e77360897', pool: 'replicapool' } }),
      aRadosNamespace('any', 'replicapool', { spec: { name: '<implicit>' } }),
    ],
    edges: [to('CephBlockPoolRadosNamespace rook-ceph/any', 'clusterID')],
  },
  {
    name: 'reads the rados namespace of the attributes',
    objects: [
      aVolume('v', { attributes: { clusterID: 'rook-ceph', pool: 'p', radosNamespace: 'ns' } }),
      aPool('p'),
      aRadosNamespace('resource', 'p', { spec: { name: 'ns' } }),
      aRadosNamespace('ns', 'p2'),
    ],
    edges: [
      to('CephBlockPool rook-ceph/p', 'pool'),
      to('CephBlockPoolRadosNamespace rook-ceph/resource', 'radosNamespace'),
    ],
  },
  {
    name: 'follows a client profile of another name',
    objects: [
      aVolume('v', { attributes: { clusterID: 'profile', pool: 'p' } }),
      aProfile('profile', 'rook-ceph'),
      aCluster(),
      aPool('p'),
      aPool('p', { namespace: 'other' }),
    ],
    edges: [cluster, to('CephBlockPool rook-ceph/p', 'pool')],
  },
  ...[
    aRadosNamespace('thief', 'p', { namespace: 'other', spec: { clusterID: 'rook-ceph' } }),
    aSubVolumeGroup('thief', 'fs', { namespace: 'other', spec: { clusterID: 'rook-ceph' } }),
    aProfile('rook-ceph', 'other'),
  ].map((thief) => ({
    name: `stays in the namespace of its clusterID when a ${thief.kind} elsewhere bears it`,
    objects: [
      aVolume('v', { attributes: { clusterID: 'rook-ceph', pool: 'p' } }),
      thief,
      aCluster(),
      aPool('p'),
    ],
    edges:
      thief.kind === 'CephBlockPoolRadosNamespace'
        ? [
            cluster,
            to('CephBlockPool rook-ceph/p', 'pool'),
            to('CephBlockPoolRadosNamespace other/thief', 'clusterID'),
          ]
        : [cluster, to('CephBlockPool rook-ceph/p', 'pool')],
  })),
  {
    name: 'leads to the filesystem, the subvolume group of its path, and the owner of its pool',
    objects: [
      aVolume('v', {
        driver: CEPHFS,
        attributes: {
          clusterID: 'rook-ceph',
          fsName: 'fs',
          pool: 'fs-data0',
          subvolumePath: '/volumes/group/csi-vol-1/uuid',
        },
      }),
      aFilesystem('fs', { spec: { dataPools: [{}] } }),
      aFilesystem('fs2'),
      aSubVolumeGroup('group', 'fs'),
      aSubVolumeGroup('group-2', 'fs'),
      aSubVolumeGroup('elsewhere', 'fs2', { spec: { name: 'group' } }),
      aStore('fs'),
    ],
    edges: [
      to('CephFilesystem rook-ceph/fs', 'fsName'),
      to('CephFilesystemSubVolumeGroup rook-ceph/group', 'subvolumePath'),
    ],
  },
  {
    name: 'leads to every subvolume group of its filesystem when nothing tells which',
    objects: [
      aVolume('v', { driver: CEPHFS, attributes: { clusterID: 'rook-ceph', fsName: 'fs' } }),
      aFilesystem('fs'),
      ...groups,
    ],
    edges: [
      to('CephFilesystem rook-ceph/fs', 'fsName'),
      to('CephFilesystemSubVolumeGroup rook-ceph/a', 'fsName'),
      to('CephFilesystemSubVolumeGroup rook-ceph/b', 'fsName'),
    ],
  },
  {
    name: 'leads to the one subvolume group that a profile tells',
    objects: [
      aVolume('v', { driver: CEPHFS, attributes: { clusterID: 'profile', fsName: 'fs' } }),
      aProfile('profile', 'rook-ceph', { cephFs: { subVolumeGroup: 'group-b' } }),
      aFilesystem('fs'),
      ...groups,
    ],
    edges: [
      to('CephFilesystem rook-ceph/fs', 'fsName'),
      to('CephFilesystemSubVolumeGroup rook-ceph/b', 'clusterID'),
    ],
  },
  ...[
    { path: '/volumes/group-b/vol/uuid', held: ['b'], key: 'rootPath' },
    { path: 'volumes//./group-b', held: ['b'], key: 'rootPath' },
    { path: '/volumes/_nogroup/vol', held: [], key: 'rootPath' },
    { path: '/data', held: [], key: 'rootPath' },
    { path: '/', held: ['a', 'b'], key: 'fsName' },
    { path: '/volumes/', held: ['a', 'b'], key: 'fsName' },
    { path: '/data/../volumes/group-b', held: ['a', 'b'], key: 'fsName' },
  ].map(({ path, held, key }) => ({
    name: `reads the root path ${path} of a static volume`,
    objects: [
      aVolume('v', {
        driver: CEPHFS,
        attributes: { clusterID: 'rook-ceph', fsName: 'fs', staticVolume: 'true', rootPath: path },
      }),
      aFilesystem('fs'),
      ...groups,
    ],
    edges: [
      to('CephFilesystem rook-ceph/fs', 'fsName'),
      ...held.map((name) => to(`CephFilesystemSubVolumeGroup rook-ceph/${name}`, key)),
    ],
  })),
  {
    name: 'leads to the subvolume group of a hashed clusterID, and to its filesystem',
    objects: [
      aVolume('v', { driver: CEPHFS, attributes: { clusterID: '4df0bb6e1b7ddc0c1ea080cbe043dd1a' } }),
      aCluster(),
      aFilesystem('myfs'),
      aFilesystem('other'),
      aSubVolumeGroup('group-a', 'myfs'),
      // Rook writes a profile for it, too.
      aProfile('4df0bb6e1b7ddc0c1ea080cbe043dd1a', 'rook-ceph', { cephFs: { subVolumeGroup: 'group-a' } }),
    ],
    edges: [
      cluster,
      to('CephFilesystem rook-ceph/myfs', 'fsName'),
      to('CephFilesystemSubVolumeGroup rook-ceph/group-a', 'clusterID'),
    ],
  },
  {
    name: 'leads to the NFS server',
    objects: [
      aVolume('v', {
        driver: 'rook-ceph.nfs.csi.ceph.com',
        attributes: { clusterID: 'rook-ceph', fsName: 'fs', nfsCluster: 'n' },
      }),
      aFilesystem('fs'),
      anObject(Kinds.CephNFS, 'n'),
      anObject(Kinds.CephNFS, 'n2'),
    ],
    edges: [to('CephFilesystem rook-ceph/fs', 'fsName'), to('CephNFS rook-ceph/n', 'nfsCluster')],
  },
  {
    name: 'stays in the cluster of its clusterID',
    objects: [
      aVolume('v', { attributes: { clusterID: 'rook-ceph', pool: 'p' } }),
      aCluster('c', { namespace: 'other' }),
      aPool('p', { namespace: 'other' }),
    ],
    edges: [],
  },
  {
    name: 'does not take another pool when the named one is missing',
    objects: [
      aVolume('v', { handle: aHandle('rook-ceph', 1), attributes: { clusterID: 'rook-ceph', pool: 'gone' } }),
      aPool('p', { status: { poolID: 1 } }),
      aPool('q'),
    ],
    edges: [],
  },
  {
    name: 'tells the claim, and that it has gone',
    objects: [
      aVolume('v', {
        attributes: { clusterID: 'rook-ceph', pool: 'p' },
        spec: { claimRef: { namespace: 'apps', name: 'data' } },
        status: { phase: 'Bound' },
      }),
      aVolume('w', {
        attributes: { clusterID: 'rook-ceph', pool: 'p' },
        spec: { claimRef: { namespace: 'apps', name: 'data' } },
        status: { phase: 'Released' },
      }),
      aPool('p'),
    ],
    edges: [
      to('CephBlockPool rook-ceph/p', 'pool', ' (claim apps/data)'),
      'PersistentVolume w → CephBlockPool rook-ceph/p at spec.csi.volumeAttributes.pool (released by claim apps/data)',
    ],
  },
  {
    name: 'does not hold a cluster that may be uninstalled with volumes',
    objects: [
      aVolume('v', { attributes: { clusterID: 'rook-ceph' } }),
      aCluster('rook-ceph', { spec: { cleanupPolicy: { allowUninstallWithVolumes: true } } }),
    ],
    edges: [`shown: ${cluster}`],
  },
  ...[false, 'true', undefined].map((allowUninstallWithVolumes) => ({
    name: `holds a cluster with allowUninstallWithVolumes ${JSON.stringify(allowUninstallWithVolumes)}`,
    objects: [
      aVolume('v', { attributes: { clusterID: 'rook-ceph' } }),
      aCluster('rook-ceph', { spec: { cleanupPolicy: { allowUninstallWithVolumes } } }),
    ],
    edges: [cluster],
  })),
])('RD023 (E23) $name', (row) => {
  expectEdges('RD023', row);
});
