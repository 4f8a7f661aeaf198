import { test } from 'vitest';
import { Kinds } from '#pkg/object';
import { aCluster, anObject, aProfile } from '#test/fixtures/objects.ts';
import { expectEdges, type RuleRow } from '#test/fixtures/rule-rows.ts';

const aConnection = (name: string) => anObject(Kinds.CephConnection, name, { namespace: 'rook-operator' });

test.for<RuleRow>([
  {
    name: 'leads a connection to the cluster in the namespace of its name',
    objects: [
      aConnection('rook-ceph'),
      aCluster('c'),
      aCluster('rook-ceph', { namespace: 'rook-operator' }),
      aCluster('c', { namespace: 'rook-ceph-2' }),
    ],
    edges: ['shown: CephConnection rook-operator/rook-ceph → CephCluster rook-ceph/c at metadata.name'],
  },
  {
    name: 'leads a profile through its connection, not through its name',
    objects: [aProfile('other', 'rook-ceph'), aCluster('c'), aCluster('c', { namespace: 'other' })],
    edges: [
      'shown: ClientProfile rook-operator/other → CephCluster rook-ceph/c at spec.cephConnectionRef.name',
    ],
  },
  {
    name: 'finds nothing for a profile without a connection',
    objects: [anObject(Kinds.ClientProfile, 'rook-ceph', { spec: {} }), aCluster('c')],
    edges: [],
  },
  {
    name: 'finds nothing when the cluster is missing',
    objects: [aConnection('rook-ceph'), aProfile('p', 'rook-ceph')],
    edges: [],
  },
])('RD029 (E29) $name', (row) => {
  expectEdges('RD029', row);
});
