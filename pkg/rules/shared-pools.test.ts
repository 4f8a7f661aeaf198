import { test } from 'vitest';
import { aFilesystem, aPool, aStore, aZone } from '#test/fixtures/objects.ts';
import { expectEdges, type RuleRow } from '#test/fixtures/rule-rows.ts';

const store = (sharedPools: unknown) => aStore('s', { spec: { sharedPools } });
const placement = {
  name: 'fast',
  metadataPoolName: 'pm',
  dataPoolName: 'pd',
  dataNonECPoolName: 'pn',
  storageClasses: [{ name: 'COLD', dataPoolName: 'cold' }, { dataPoolName: 'colder' }],
};

test.for<RuleRow>([
  {
    name: 'reads both pools of a store',
    objects: [store({ metadataPoolName: 'm', dataPoolName: 'd' }), aPool('m'), aPool('d'), aPool('x')],
    edges: [
      'CephObjectStore rook-ceph/s → CephBlockPool rook-ceph/m at spec.sharedPools.metadataPoolName',
      'CephObjectStore rook-ceph/s → CephBlockPool rook-ceph/d at spec.sharedPools.dataPoolName',
    ],
  },
  {
    name: 'reads the pools of a zone, placements and storage classes',
    objects: [
      aZone('z', { spec: { sharedPools: { poolPlacements: [{ dataPoolName: 'first' }, placement] } } }),
      ...['first', 'pm', 'pd', 'pn', 'cold', 'colder'].map((name) => aPool(name)),
    ],
    edges: [
      ['first', '[0].dataPoolName'],
      ['pm', '[1].metadataPoolName'],
      ['pd', '[1].dataPoolName'],
      ['pn', '[1].dataNonECPoolName'],
      ['cold', '[1].storageClasses[0].dataPoolName'],
      ['colder', '[1].storageClasses[1].dataPoolName'],
    ].map(
      ([pool, at]) =>
        `CephObjectZone rook-ceph/z → CephBlockPool rook-ceph/${pool} at spec.sharedPools.poolPlacements${at}`,
    ),
  },
  {
    name: 'means the name inside Ceph, not the name of the resource',
    objects: [
      store({ metadataPoolName: '.mgr', dataPoolName: 'renamed' }),
      aPool('builtin', { spec: { name: '.mgr' } }),
      aPool('renamed', { spec: { name: '.nfs' } }),
    ],
    edges: [
      'CephObjectStore rook-ceph/s → CephBlockPool rook-ceph/builtin at spec.sharedPools.metadataPoolName',
    ],
  },
  {
    name: 'names a pool once, by the first field that does',
    objects: [store({ metadataPoolName: 'p', dataPoolName: 'p' }), aPool('p')],
    edges: ['CephObjectStore rook-ceph/s → CephBlockPool rook-ceph/p at spec.sharedPools.metadataPoolName'],
  },
  {
    name: 'does not take a pool that only begins alike',
    objects: [store({ metadataPoolName: 'm', dataPoolName: 'd-2' }), aPool('m-2'), aPool('d')],
    edges: [],
  },
  {
    name: 'stays in the namespace',
    objects: [store({ dataPoolName: 'd' }), aPool('d', { namespace: 'other' })],
    edges: [],
  },
  { name: 'finds nothing when the pool is missing', objects: [store({ dataPoolName: 'd' })], edges: [] },
  {
    name: 'means block pools, not the pools of filesystems',
    objects: [store({ dataPoolName: 'fs-data0' }), aFilesystem('fs', { spec: { dataPools: [{}] } })],
    edges: [],
  },
])('RD013 (E13) $name', (row) => {
  expectEdges('RD013', row);
});
