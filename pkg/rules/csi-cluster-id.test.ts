import { expect, test } from 'vitest';
import { Kinds } from '#pkg/object';
import { anObject, aPool, aProfile, aRadosNamespace, aSubVolumeGroup } from '#test/fixtures/objects.ts';
import { clusterIdsOf } from './csi-cluster-id.ts';

test.for([
  {
    name: 'a subvolume group hashes namespace, filesystem and name',
    object: aSubVolumeGroup('csi', 'myfs'),
    ids: ['e1026845ad66577abae1d16671b464c8'],
  },
  {
    name: 'another group of the filesystem hashes to another',
    object: aSubVolumeGroup('group-a', 'myfs'),
    ids: ['4df0bb6e1b7ddc0c1ea080cbe043dd1a'],
  },
  {
    name: 'a rados namespace hashes namespace, pool and name',
    object: aRadosNamespace('namespace-a', 'replicapool'),
    ids: ['80fc4f4bacc064be641633e6ed25ba7e'],
  },
  {
    name: 'the implicit rados namespace has the empty name',
    object: aRadosNamespace('anything', 'replicapool', { spec: { name: '<implicit>' } }),
    ids: ['bac74e3bd0064d4fd1c9457e77360897'],
  },
  {
    name: 'spec.name counts, not the name of the resource',
    object: aRadosNamespace('resource', 'replicapool', { spec: { name: 'namespace-a' } }),
    ids: ['80fc4f4bacc064be641633e6ed25ba7e'],
  },
  {
    name: 'spec.name of a group counts, not the name of the resource',
    object: aSubVolumeGroup('resource', 'myfs', { spec: { name: 'group-a' } }),
    ids: ['4df0bb6e1b7ddc0c1ea080cbe043dd1a'],
  },
  {
    name: 'spec.clusterID replaces the hash',
    object: aRadosNamespace('namespace-a', 'replicapool', { spec: { clusterID: 'chosen' } }),
    ids: ['chosen'],
  },
  {
    name: 'status.info.clusterID counts besides the hash',
    object: aRadosNamespace('namespace-a', 'replicapool', { status: { info: { clusterID: 'reported' } } }),
    ids: ['80fc4f4bacc064be641633e6ed25ba7e', 'reported'],
  },
  {
    name: 'the same in spec and status counts once',
    object: aSubVolumeGroup('g', 'myfs', {
      spec: { clusterID: 'chosen' },
      status: { info: { clusterID: 'chosen' } },
    }),
    ids: ['chosen'],
  },
  {
    name: 'without a pool only the status tells',
    object: anObject(Kinds.CephBlockPoolRadosNamespace, 'n', { status: { info: { clusterID: 'reported' } } }),
    ids: ['reported'],
  },
  { name: 'a profile bears its own name', object: aProfile('profile', 'rook-ceph'), ids: ['profile'] },
  { name: 'a pool bears none', object: aPool('p'), ids: [] },
  {
    name: 'a profile of another group bears none',
    object: anObject({ ...Kinds.ClientProfile, group: 'csi.example' }, 'p'),
    ids: [],
  },
])('$name', ({ object, ids }) => {
  expect(clusterIdsOf(object)).toEqual(ids);
});
