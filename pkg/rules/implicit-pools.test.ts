import { test } from 'vitest';
import { Kinds } from '#pkg/object';
import { aFilesystem, anObject, aPool, aStore, aZone } from '#test/fixtures/objects.ts';
import { expectEdges, type RuleRow } from '#test/fixtures/rule-rows.ts';

const aNamed = (cephName: string, namespace?: string) =>
  aPool('builtin', { spec: { name: cephName }, ...(namespace ? { namespace } : {}) });
const anNfs = (spec?: unknown) => anObject(Kinds.CephNFS, 'n', { spec });
const aGateway = (spec?: unknown) => anObject(Kinds.CephNVMeOFGateway, 'g', { spec });

test.for<RuleRow>([
  {
    name: 'ties stores and zones to the pool',
    objects: [
      aStore('s'),
      aZone('z'),
      aStore('in-zone', { spec: { zone: { name: 'z' } } }),
      aNamed('.rgw.root'),
    ],
    edges: [
      'CephObjectStore rook-ceph/s → CephBlockPool rook-ceph/builtin (pool .rgw.root)',
      'CephObjectStore rook-ceph/in-zone → CephBlockPool rook-ceph/builtin (pool .rgw.root)',
      'CephObjectZone rook-ceph/z → CephBlockPool rook-ceph/builtin (pool .rgw.root)',
    ],
  },
  {
    name: 'does not take a resource that merely has another special pool',
    objects: [aStore('s'), aNamed('.nfs'), aPool('rgw.root')],
    edges: [],
  },
  {
    name: 'leaves external stores out',
    objects: [
      aStore('s', { spec: { gateway: { externalRgwEndpoints: [{ ip: '192.0.2.1' }] } } }),
      aNamed('.rgw.root'),
    ],
    edges: [],
  },
  { name: 'stays in the namespace', objects: [aStore('s'), aNamed('.rgw.root', 'other')], edges: [] },
  { name: 'finds nothing without the pool', objects: [aStore('s')], edges: [] },
])('RD014 (E14) $name', (row) => {
  expectEdges('RD014', row);
});

test.for<RuleRow>([
  {
    name: 'ties a server to the pool .nfs',
    objects: [anNfs(), aNamed('.nfs'), aPool('nfs')],
    edges: ['CephNFS rook-ceph/n → CephBlockPool rook-ceph/builtin (pool .nfs)'],
  },
  {
    name: 'reads the pool of older Rook too',
    objects: [anNfs({ rados: { pool: 'old' } }), aPool('old'), aPool('old-2'), aNamed('.nfs')],
    edges: [
      'CephNFS rook-ceph/n → CephBlockPool rook-ceph/old at spec.rados.pool',
      'CephNFS rook-ceph/n → CephBlockPool rook-ceph/builtin (pool .nfs)',
    ],
  },
  {
    name: 'finds the pools of filesystems, stores and zones',
    objects: [
      anNfs({ rados: { pool: 'fs-data0' } }),
      anObject(Kinds.CephNFS, 'm', { spec: { rados: { pool: 's.rgw.log' } } }),
      anObject(Kinds.CephNFS, 'o', { spec: { rados: { pool: 'z.rgw.meta' } } }),
      aFilesystem('fs', { spec: { dataPools: [{}] } }),
      aStore('s'),
      aZone('z'),
    ],
    edges: [
      'CephNFS rook-ceph/n → CephFilesystem rook-ceph/fs at spec.rados.pool',
      'CephNFS rook-ceph/m → CephObjectStore rook-ceph/s at spec.rados.pool',
      'CephNFS rook-ceph/o → CephObjectZone rook-ceph/z at spec.rados.pool',
    ],
  },
  {
    name: 'means the name inside Ceph',
    objects: [anNfs({ rados: { pool: 'builtin' } }), aNamed('.mgr')],
    edges: [],
  },
  {
    name: 'stays in the namespace',
    objects: [anNfs({ rados: { pool: 'p' } }), aNamed('.nfs', 'other'), aPool('p', { namespace: 'other' })],
    edges: [],
  },
  { name: 'finds nothing without the pool', objects: [anNfs({ rados: { pool: 'p' } })], edges: [] },
])('RD015 (E15) $name', (row) => {
  expectEdges('RD015', row);
});

test.for<RuleRow>([
  {
    name: 'ties a gateway to the pool .nvmeof',
    objects: [aGateway(), aNamed('.nvmeof'), aPool('nvmeof')],
    edges: ['CephNVMeOFGateway rook-ceph/g → CephBlockPool rook-ceph/builtin (pool .nvmeof)'],
  },
  {
    name: 'reads the pool of the spec instead',
    objects: [aGateway({ pool: 'p' }), aPool('p'), aPool('p2'), aNamed('.nvmeof')],
    edges: ['CephNVMeOFGateway rook-ceph/g → CephBlockPool rook-ceph/p at spec.pool'],
  },
  {
    name: 'means the name inside Ceph',
    objects: [aGateway({ pool: 'builtin' }), aNamed('.mgr')],
    edges: [],
  },
  {
    name: 'means block pools only',
    objects: [aGateway({ pool: 'fs-data0' }), aFilesystem('fs', { spec: { dataPools: [{}] } })],
    edges: [],
  },
  { name: 'stays in the namespace', objects: [aGateway(), aNamed('.nvmeof', 'other')], edges: [] },
  { name: 'finds nothing without the pool', objects: [aGateway({ pool: 'p' })], edges: [] },
])('RD016 (E16) $name', (row) => {
  expectEdges('RD016', row);
});
