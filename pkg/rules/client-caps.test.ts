import { test } from 'vitest';
import { Kinds } from '#pkg/object';
import { aFilesystem, anObject, aPool, aStore, aZone } from '#test/fixtures/objects.ts';
import { expectEdges, type RuleRow } from '#test/fixtures/rule-rows.ts';

const aClient = (caps: unknown) => anObject(Kinds.CephClient, 'c', { spec: { caps } });
const fs = aFilesystem('fs', { spec: { dataPools: [{}] } });
const to = (provider: string, at: string, detail: string) =>
  `CephClient rook-ceph/c → ${provider} at spec.caps.${at} (${detail})`;

test.for<RuleRow>([
  {
    name: 'reads every grant of every daemon',
    objects: [
      aClient({ mon: 'profile rbd', osd: 'profile rbd pool=a, allow rwx pool=b', mgr: 'profile rbd pool=c' }),
      ...['a', 'b', 'c', 'd'].map((name) => aPool(name)),
    ],
    edges: [
      to('CephBlockPool rook-ceph/a', 'osd', 'pool=a'),
      to('CephBlockPool rook-ceph/b', 'osd', 'pool=b'),
      to('CephBlockPool rook-ceph/c', 'mgr', 'pool=c'),
    ],
  },
  {
    name: 'reads grants joined without a space',
    objects: [aClient({ osd: 'allow r pool=a,allow r pool=b' }), aPool('a'), aPool('b')],
    edges: [
      to('CephBlockPool rook-ceph/a', 'osd', 'pool=a'),
      to('CephBlockPool rook-ceph/b', 'osd', 'pool=b'),
    ],
  },
  {
    name: 'reads grants between semicolons',
    objects: [
      aClient({ osd: 'allow rw pool=a; allow rw pool=b;allow r pool=c' }),
      aPool('a'),
      aPool('b'),
      aPool('c'),
    ],
    edges: ['a', 'b', 'c'].map((pool) => to(`CephBlockPool rook-ceph/${pool}`, 'osd', `pool=${pool}`)),
  },
  {
    name: 'reads a space for the equals sign, and spaces around it',
    objects: [
      aClient({ osd: 'allow rw pool a namespace pool, allow rw pool = b', mds: 'allow r fsname fs' }),
      aPool('a'),
      aPool('b'),
      aPool('namespace'),
      fs,
    ],
    edges: [
      to('CephBlockPool rook-ceph/a', 'osd', 'pool a'),
      to('CephBlockPool rook-ceph/b', 'osd', 'pool=b'),
      to('CephFilesystem rook-ceph/fs', 'mds', 'fsname fs'),
    ],
  },
  {
    name: 'does not take the value of another word for a word',
    objects: [aClient({ osd: 'allow rw namespace=pool p, allow rw object_prefix pool p' }), aPool('p')],
    edges: [],
  },
  {
    name: 'does not split what is quoted',
    objects: [aClient({ osd: `allow rw pool="a, pool=b"` }), aPool('b')],
    edges: [],
  },
  {
    name: 'does not take foo for foobar, nor foobar for foo',
    objects: [aClient({ osd: 'allow rw pool=foo' }), aPool('foobar'), aPool('fo')],
    edges: [],
  },
  {
    name: 'takes quotes off',
    objects: [aClient({ osd: `allow rw pool="a", allow rw pool='b'` }), aPool('a'), aPool('b')],
    edges: [
      to('CephBlockPool rook-ceph/a', 'osd', 'pool="a"'),
      to('CephBlockPool rook-ceph/b', 'osd', `pool='b'`),
    ],
  },
  {
    name: 'means the name inside Ceph',
    objects: [
      aClient({ osd: 'allow rw pool=.nfs, allow r pool=resource' }),
      aPool('resource', { spec: { name: '.nfs' } }),
    ],
    edges: [to('CephBlockPool rook-ceph/resource', 'osd', 'pool=.nfs')],
  },
  {
    name: 'finds the pools of filesystems, stores and zones',
    objects: [
      aClient({ osd: 'allow rw pool=fs-data0, allow r pool=s.rgw.log, allow r pool=z.rgw.buckets.data' }),
      fs,
      aStore('s'),
      aZone('z'),
    ],
    edges: [
      to('CephFilesystem rook-ceph/fs', 'osd', 'pool=fs-data0'),
      to('CephObjectStore rook-ceph/s', 'osd', 'pool=s.rgw.log'),
      to('CephObjectZone rook-ceph/z', 'osd', 'pool=z.rgw.buckets.data'),
    ],
  },
  ...['data=fs', 'metadata=fs', '*=fs'].map((word) => ({
    name: `reads tag cephfs ${word}`,
    objects: [aClient({ osd: `allow rw tag cephfs ${word}` }), fs],
    edges: [to('CephFilesystem rook-ceph/fs', 'osd', word)],
  })),
  {
    name: 'reads fsname',
    objects: [aClient({ mds: 'allow rw fsname=fs path=/dir' }), fs, aFilesystem('fs2')],
    edges: [to('CephFilesystem rook-ceph/fs', 'mds', 'fsname=fs')],
  },
  {
    name: 'does not read data= without tag cephfs in the same grant',
    objects: [aClient({ osd: 'allow rw tag rgw data=fs, allow r data=fs, tag cephfs allow' }), fs],
    edges: [],
  },
  {
    name: 'does not take wildcards for everything',
    objects: [
      aClient({ osd: 'allow *, allow rw pool=*, allow rw tag cephfs *=*', mds: 'allow *' }),
      aPool('p'),
      fs,
    ],
    edges: [],
  },
  {
    name: 'does not take a word that only ends alike',
    objects: [aClient({ osd: 'allow rw xpool=p pool= pool p=pool pool' }), aPool('p')],
    edges: [],
  },
  {
    name: 'stays in the namespace',
    objects: [
      aClient({ osd: 'allow rw pool=p, allow rw tag cephfs data=fs' }),
      aPool('p', { namespace: 'other' }),
      aFilesystem('fs', { namespace: 'other' }),
    ],
    edges: [],
  },
  { name: 'finds nothing when the pool is missing', objects: [aClient({ osd: 'allow pool=p' })], edges: [] },
  {
    name: 'passes over caps that are not text',
    objects: [aClient({ osd: ['allow rw pool=p'], mon: 7, mgr: null }), aClient('pool=p'), aPool('p')],
    edges: [],
  },
])('RD017 (E17) $name', (row) => {
  expectEdges('RD017', row);
});
