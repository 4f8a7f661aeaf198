import { test } from 'vitest';
import { Kinds, type OwnerReference } from '#pkg/object';
import { aCluster, anObject, aPool, type Parts } from '#test/fixtures/objects.ts';
import { expectEdges, type RuleRow } from '#test/fixtures/rule-rows.ts';

const owner = (kind: string, name: string, uid: string, apiVersion = 'ceph.rook.io/v1'): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid,
});
const owned = (ownerReferences: readonly OwnerReference[], parts: Parts = {}) =>
  anObject(Kinds.Deployment, 'd', { ...parts, ownerReferences });
const cluster = aCluster('c', { uid: '1' });
const edge = 'shown: Deployment rook-ceph/d → CephCluster rook-ceph/c at metadata.ownerReferences[0]';

test.for<RuleRow>([
  {
    name: 'leads to the owner',
    objects: [owned([owner('CephCluster', 'c', '1')]), cluster, aCluster('c2', { uid: '1' })],
    edges: [edge],
  },
  {
    name: 'leads to every owner, and says where it stands',
    objects: [
      owned([
        owner('CephCluster', 'gone', '0'),
        owner('CephCluster', 'c', '1'),
        owner('CephBlockPool', 'p', '2'),
      ]),
      cluster,
      aPool('p', { uid: '2' }),
    ],
    edges: [
      'shown: Deployment rook-ceph/d → CephCluster rook-ceph/c at metadata.ownerReferences[1]',
      'shown: Deployment rook-ceph/d → CephBlockPool rook-ceph/p at metadata.ownerReferences[2]',
    ],
  },
  {
    name: 'does not take another version of the group for another kind',
    objects: [owned([owner('CephCluster', 'c', '1', 'ceph.rook.io/v1beta1')]), cluster],
    edges: [edge],
  },
  {
    name: 'does not take an object that has taken the name of the owner',
    objects: [owned([owner('CephCluster', 'c', '1')]), aCluster('c', { uid: '2' })],
    edges: [],
  },
  {
    name: 'believes the name where manifests have no UID',
    objects: [owned([owner('CephCluster', 'c', '1')]), aCluster('c')],
    edges: [edge],
  },
  {
    name: 'finds an owner without a namespace',
    objects: [
      owned([owner('PersistentVolume', 'v', '3', 'v1')]),
      anObject(Kinds.PersistentVolume, 'v', { uid: '3' }),
    ],
    edges: ['shown: Deployment rook-ceph/d → PersistentVolume v at metadata.ownerReferences[0]'],
  },
  {
    name: 'ties two objects without namespaces',
    objects: [
      anObject(Kinds.StorageClass, 'sc', { ownerReferences: [owner('PersistentVolume', 'v', '3', 'v1')] }),
      anObject(Kinds.PersistentVolume, 'v', { uid: '3' }),
    ],
    edges: ['shown: StorageClass sc → PersistentVolume v at metadata.ownerReferences[0]'],
  },
  {
    name: 'stays in the namespace, as the garbage collector does',
    objects: [owned([owner('CephCluster', 'c', '1')], { namespace: 'other' }), cluster],
    edges: [],
  },
  {
    name: 'tells kinds of the same name in different groups apart',
    objects: [owned([owner('CephCluster', 'c', '1', 'ceph.example/v1')]), cluster],
    edges: [],
  },
  {
    name: 'finds nothing when the owner is missing',
    objects: [owned([owner('CephCluster', 'c', '1')])],
    edges: [],
  },
])('RD030 (owner reference) $name', (row) => {
  expectEdges('RD030', row);
});
