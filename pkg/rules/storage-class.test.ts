import { test } from 'vitest';
import { Kinds } from '#pkg/object';
import {
  aClass,
  aFilesystem,
  anObject,
  aPool,
  aProfile,
  aRadosNamespace,
  aStore,
  aSubVolumeGroup,
} from '#test/fixtures/objects.ts';
import { expectEdges, type RuleRow } from '#test/fixtures/rule-rows.ts';

const RBD = 'rook-ceph.rbd.csi.ceph.com';
const CEPHFS = 'rook-ceph.cephfs.csi.ceph.com';
const NFS = 'rook-ceph.nfs.csi.ceph.com';
const block = (parameters: unknown, provisioner = RBD) => aClass('sc', provisioner, parameters);
const file = (parameters: unknown, provisioner = CEPHFS) => aClass('sc', provisioner, parameters);
const to = (provider: string, key: string) => `shown: StorageClass sc → ${provider} at parameters.${key}`;

test.for<RuleRow>([
  {
    name: 'leads to the pool, and to the data pool',
    objects: [
      block({ clusterID: 'rook-ceph', pool: 'p', dataPool: 'ec' }),
      aPool('p'),
      aPool('ec'),
      aPool('p2'),
    ],
    edges: [to('CephBlockPool rook-ceph/p', 'pool'), to('CephBlockPool rook-ceph/ec', 'dataPool')],
  },
  {
    name: 'leads to the journal pool and the pools of a topology',
    objects: [
      block({
        clusterID: 'rook-ceph',
        pool: 'p',
        journalPool: 'j',
        topologyConstrainedPools: '[{"poolName":"t1","dataPool":"t2"}]',
      }),
      ...['p', 'j', 't1', 't2'].map((name) => aPool(name)),
    ],
    edges: [
      to('CephBlockPool rook-ceph/p', 'pool'),
      to('CephBlockPool rook-ceph/j', 'journalPool'),
      to('CephBlockPool rook-ceph/t1', 'topologyConstrainedPools'),
      to('CephBlockPool rook-ceph/t2', 'topologyConstrainedPools'),
    ],
  },
  {
    name: 'knows a renamed driver and NVMe-oF',
    objects: [
      block({ clusterID: 'rook-ceph', pool: 'p' }, 'my.prefix.rbd.csi.ceph.com'),
      aClass('nvme', 'rook-ceph.nvmeof.csi.ceph.com', { clusterID: 'rook-ceph', pool: 'p' }),
      aPool('p'),
    ],
    edges: [
      to('CephBlockPool rook-ceph/p', 'pool'),
      'shown: StorageClass nvme → CephBlockPool rook-ceph/p at parameters.pool',
    ],
  },
  ...['rbd.csi.ceph.com.evil', 'xrbd.csi.ceph.com', CEPHFS].map((provisioner) => ({
    name: `leaves ${provisioner} alone`,
    objects: [block({ clusterID: 'rook-ceph', pool: 'p' }, provisioner), aPool('p')],
    edges: [],
  })),
  {
    name: 'means the name inside Ceph',
    objects: [
      block({ clusterID: 'rook-ceph', pool: '.mgr', dataPool: 'x' }),
      aPool('x', { spec: { name: '.mgr' } }),
    ],
    edges: [to('CephBlockPool rook-ceph/x', 'pool')],
  },
  {
    name: 'leads to the rados namespace of a hashed clusterID',
    objects: [
      block({ clusterID: '80fc4f4bacc064be641633e6ed25ba7e', pool: 'replicapool' }),
      aPool('replicapool'),
      aRadosNamespace('namespace-a', 'replicapool'),
      aRadosNamespace('namespace-b', 'replicapool'),
    ],
    edges: [
      to('CephBlockPool rook-ceph/replicapool', 'pool'),
      to('CephBlockPoolRadosNamespace rook-ceph/namespace-a', 'clusterID'),
    ],
  },
  {
    name: 'follows a client profile of another name to its cluster and rados namespace',
    objects: [
      block({ clusterID: 'profile', pool: 'p' }),
      aProfile('profile', 'rook-ceph', { rbd: { radosNamespace: 'ns' } }),
      aPool('p'),
      aPool('p', { namespace: 'other' }),
      aRadosNamespace('resource', 'p', { spec: { name: 'ns' } }),
      aRadosNamespace('ns', 'other-pool'),
    ],
    edges: [
      to('CephBlockPool rook-ceph/p', 'pool'),
      to('CephBlockPoolRadosNamespace rook-ceph/resource', 'clusterID'),
    ],
  },
  {
    name: 'reads the rados namespace of the parameters',
    objects: [
      block({ clusterID: 'rook-ceph', pool: 'p', radosNamespace: 'ns' }),
      aPool('p'),
      aRadosNamespace('ns', 'p'),
      aRadosNamespace('ns2', 'p'),
    ],
    edges: [
      to('CephBlockPool rook-ceph/p', 'pool'),
      to('CephBlockPoolRadosNamespace rook-ceph/ns', 'radosNamespace'),
    ],
  },
  {
    name: 'stays in the cluster of its clusterID',
    objects: [block({ clusterID: 'other', pool: 'p' }), aPool('p'), aPool('p', { namespace: 'other' })],
    edges: [to('CephBlockPool other/p', 'pool')],
  },
  { name: 'finds nothing without a clusterID', objects: [block({ pool: 'p' }), aPool('p')], edges: [] },
  {
    name: 'finds nothing when the pool is missing',
    objects: [block({ clusterID: 'rook-ceph', pool: 'p' })],
    edges: [],
  },
])('RD020 (E20) $name', (row) => {
  expectEdges('RD020', row);
});

test.for<RuleRow>([
  {
    name: 'leads to the filesystem and the owner of the pool',
    objects: [
      file({ clusterID: 'rook-ceph', fsName: 'fs', pool: 'other-data0' }),
      aFilesystem('fs'),
      aFilesystem('fs2'),
      aFilesystem('other', { spec: { dataPools: [{}] } }),
    ],
    edges: [to('CephFilesystem rook-ceph/fs', 'fsName'), to('CephFilesystem rook-ceph/other', 'pool')],
  },
  {
    name: 'leads to a block pool that was added to the filesystem by hand, not to a store',
    objects: [
      file({ clusterID: 'rook-ceph', fsName: 'fs', pool: 'p' }),
      aClass('odd', CEPHFS, { clusterID: 'rook-ceph', pool: 's.rgw.log' }),
      aFilesystem('fs'),
      aPool('p'),
      aStore('s'),
    ],
    edges: [to('CephFilesystem rook-ceph/fs', 'fsName'), to('CephBlockPool rook-ceph/p', 'pool')],
  },
  {
    name: 'leads to the subvolume group of a hashed clusterID, and to its filesystem',
    objects: [
      file({ clusterID: '4df0bb6e1b7ddc0c1ea080cbe043dd1a' }),
      aFilesystem('myfs'),
      aFilesystem('other'),
      aSubVolumeGroup('group-a', 'myfs'),
      aSubVolumeGroup('group-b', 'myfs'),
    ],
    edges: [
      to('CephFilesystem rook-ceph/myfs', 'fsName'),
      to('CephFilesystemSubVolumeGroup rook-ceph/group-a', 'clusterID'),
    ],
  },
  {
    name: 'follows a client profile of another name to its subvolume group',
    objects: [
      file({ clusterID: 'profile', fsName: 'fs' }),
      aProfile('profile', 'rook-ceph', { cephFs: { subVolumeGroup: 'group' } }),
      aFilesystem('fs'),
      aSubVolumeGroup('resource', 'fs', { spec: { name: 'group' } }),
      aSubVolumeGroup('group', 'fs2'),
    ],
    edges: [
      to('CephFilesystem rook-ceph/fs', 'fsName'),
      to('CephFilesystemSubVolumeGroup rook-ceph/resource', 'clusterID'),
    ],
  },
  {
    name: 'leads to the NFS server',
    objects: [
      file({ clusterID: 'rook-ceph', fsName: 'fs', nfsCluster: 'n' }, NFS),
      aFilesystem('fs'),
      anObject(Kinds.CephNFS, 'n'),
      anObject(Kinds.CephNFS, 'n2'),
    ],
    edges: [to('CephFilesystem rook-ceph/fs', 'fsName'), to('CephNFS rook-ceph/n', 'nfsCluster')],
  },
  {
    name: 'stays in the cluster of its clusterID',
    objects: [file({ clusterID: 'rook-ceph', fsName: 'fs' }), aFilesystem('fs', { namespace: 'other' })],
    edges: [],
  },
  {
    name: 'finds nothing when the filesystem is missing',
    objects: [file({ clusterID: 'rook-ceph', fsName: 'fs' }), aFilesystem('fs-2')],
    edges: [],
  },
  {
    name: 'leaves images alone',
    objects: [block({ clusterID: 'rook-ceph', pool: 'p' }), aPool('p')],
    edges: [],
  },
])('RD021 (E21) $name', (row) => {
  expectEdges('RD021', row);
});
