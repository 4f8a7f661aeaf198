import { expect, test } from 'vitest';
import { Kinds } from '#pkg/object';
import { aFilesystem, anObject, aPool, aStore, aZone } from '#test/fixtures/objects.ts';
import { cephPoolsOf } from './ceph-pools.ts';

const standard = (prefix: string) =>
  ['control', 'meta', 'log', 'buckets.index', 'buckets.non-ec', 'otp', 'buckets.data'].map(
    (suffix) => `${prefix}.rgw.${suffix}`,
  );
const sharedPools = { metadataPoolName: 'm', dataPoolName: 'd' };

test.for([
  { name: 'a pool has its own name', object: aPool('p'), pools: ['p'] },
  { name: 'spec.name overrides it', object: aPool('p', { spec: { name: '.nfs' } }), pools: ['.nfs'] },
  { name: 'an empty spec.name does not', object: aPool('p', { spec: { name: '' } }), pools: ['p'] },
  {
    name: 'unnamed pools of a filesystem are numbered',
    object: aFilesystem('fs', { spec: { metadataPool: {}, dataPools: [{}, { name: 'named' }, {}] } }),
    pools: ['fs-metadata', 'fs-data0', 'fs-named', 'fs-data2'],
  },
  {
    name: 'preservePoolNames keeps names, and numbers the unnamed',
    object: aFilesystem('fs', {
      spec: { preservePoolNames: true, metadataPool: { name: 'meta' }, dataPools: [{}, { name: 'named' }] },
    }),
    pools: ['meta', 'fs-data0', 'named'],
  },
  {
    name: 'a named metadata pool gets the name of the filesystem in front',
    object: aFilesystem('fs', { spec: { metadataPool: { name: 'meta' }, dataPools: [] } }),
    pools: ['fs-meta'],
  },
  {
    name: 'preservePoolNames that is not true is none',
    object: aFilesystem('fs', { spec: { preservePoolNames: 'true', dataPools: [{ name: 'named' }] } }),
    pools: ['fs-metadata', 'fs-named'],
  },
  { name: 'a store has seven pools', object: aStore('s'), pools: standard('s') },
  { name: 'a store in a zone has none', object: aStore('s', { spec: { zone: { name: 'z' } } }), pools: [] },
  {
    name: 'an external store has none',
    object: aStore('s', { spec: { gateway: { externalRgwEndpoints: [{ ip: '192.0.2.1' }] } } }),
    pools: [],
  },
  {
    name: 'an empty list of endpoints is not external',
    object: aStore('s', { spec: { gateway: { externalRgwEndpoints: [] } } }),
    pools: standard('s'),
  },
  { name: 'a zone has seven pools', object: aZone('z'), pools: standard('z') },
  { name: 'a store in shared pools has none', object: aStore('s', { spec: { sharedPools } }), pools: [] },
  { name: 'a zone in shared pools has none', object: aZone('z', { spec: { sharedPools } }), pools: [] },
  {
    name: 'one shared pool of two is not enough',
    object: aStore('s', { spec: { sharedPools: { dataPoolName: 'd' } } }),
    pools: standard('s'),
  },
  {
    name: 'a default placement is enough',
    object: aZone('z', { spec: { sharedPools: { poolPlacements: [{ name: 'x' }, { default: true }] } } }),
    pools: [],
  },
  {
    name: 'a placement that is not the default is not',
    object: aZone('z', { spec: { sharedPools: { poolPlacements: [{ name: 'x', default: false }] } } }),
    pools: standard('z'),
  },
  { name: 'an NFS server owns none', object: anObject(Kinds.CephNFS, 'n'), pools: [] },
  {
    name: 'a kind of the same name in another group owns none',
    object: anObject({ ...Kinds.CephBlockPool, group: 'ceph.example' }, 'p'),
    pools: [],
  },
])('$name', ({ object, pools }) => {
  expect(cephPoolsOf(object)).toEqual(pools);
});
