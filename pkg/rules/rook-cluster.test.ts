import { expect, test } from 'vitest';
import { Kinds, ROOK_KINDS } from '#pkg/object';
import { aCluster, aPool, anObject, aVolume } from '#test/fixtures/objects.ts';
import { edgesOf, expectEdges, type RuleRow } from '#test/fixtures/rule-rows.ts';

const others = ROOK_KINDS.filter((kind) => kind !== Kinds.CephCluster);

test('RD001 (E1) knows the 18 other kinds of Rook', () => {
  expect(others).toHaveLength(18);
});

test.for(others)('RD001 (E1) ties $kind to the cluster of its namespace', (kind) => {
  expectEdges('RD001', {
    objects: [aCluster('c'), anObject(kind, 'x')],
    edges: [`${kind.kind} rook-ceph/x → CephCluster rook-ceph/c at metadata.namespace`],
  });
});

test.for<RuleRow>([
  {
    name: 'leaves clusters of other namespaces alone',
    objects: [aCluster('c', { namespace: 'other' }), aPool('p')],
    edges: [],
  },
  { name: 'finds nothing without a cluster', objects: [aPool('p')], edges: [] },
  {
    name: 'does not tie a cluster to itself or to another one',
    objects: [aCluster('c'), aCluster('d')],
    edges: [],
  },
  {
    name: 'does not look at kinds of others',
    objects: [aCluster('c'), anObject(Kinds.PersistentVolumeClaim, 'claim'), aVolume('v')],
    edges: [],
  },
])('RD001 (E1) $name', (row) => {
  expectEdges('RD001', row);
});

test('RD001 (E1) takes a kind of the same name in another group for another kind', () => {
  const foreign = anObject({ ...Kinds.CephBlockPool, group: 'ceph.example' }, 'p');
  expect(edgesOf('RD001', [aCluster('c'), foreign])).toEqual([]);
});
