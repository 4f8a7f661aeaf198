import { describe, expect, test } from 'vitest';
import { Kinds, type KubeObject } from '#pkg/object';
import {
  aCluster,
  aFilesystem,
  anObject,
  aPool,
  aRadosNamespace,
  aStore,
  aSubVolumeGroup,
  aZone,
} from '#test/fixtures/objects.ts';
import { fakeRunner, type Reply } from '#test/fakes/ceph-runner.ts';
import { fakeReader, type Refusal } from '#test/fakes/reader.ts';
import type { AdminOps } from './admin-ops.ts';
import { askedCeph } from './asked.ts';
import { cephClient } from './client.ts';
import type { Contents } from './contents.ts';
import { CephSilent } from './runner.ts';

const { signal } = new AbortController();

interface World {
  readonly replies?: Readonly<Record<string, Reply>>;
  readonly objects?: readonly KubeObject[];
  readonly refusals?: readonly Refusal[];
  readonly adminOps?: AdminOps['buckets'];
  readonly isInCluster?: boolean;
}

const unreachable: AdminOps['buckets'] = (endpoint) =>
  Promise.reject(new CephSilent(`${endpoint} is silent`));

function contents(resource: KubeObject, world: World = {}): Promise<Contents> {
  const { replies = {}, objects = [aCluster()], refusals, isInCluster = true } = world;
  const ceph = askedCeph({
    reader: fakeReader(objects, refusals),
    cephOf: (cluster) => cluster && cephClient(fakeRunner(replies)),
    adminOps: { buckets: world.adminOps ?? unreachable },
    isInCluster,
  });
  return ceph.contentsOf(resource, signal);
}

const pools = (...names: readonly string[]): Reply => ({
  json: {
    epoch: 1,
    crush_version: 1,
    osds: [],
    flags_set: [],
    pools: names.map((name, at) => ({
      pool: at + 1,
      pool_name: name,
      size: 3,
      min_size: 2,
      crush_rule: 0,
      type: 1,
    })),
  },
});

const counts = (pool: string, objects: number): Reply => ({
  json: { pools: [{ name: pool, stats: { objects } }] },
});

const EMPTY_POOL = {
  'ceph osd dump': pools('p'),
  'rbd namespace ls': { json: [] },
  'rbd ls': { json: [] },
  'rbd trash ls': { json: [] },
  'ceph df': counts('p', 3),
  'rados --pool p ls': {
    json: [
      { namespace: '', name: 'rbd_info' },
      { namespace: 'n', name: 'rbd_directory' },
      { namespace: '', name: 'csi.volumes.default' },
    ],
  },
} as const satisfies Record<string, Reply>;

describe('a pool', () => {
  test('with images, snapshots and trash, also in namespaces that no resource stands for, holds them all', async () => {
    const found = await contents(aPool('p'), {
      replies: {
        ...EMPTY_POOL,
        'rbd namespace ls': { json: [{ name: 'team' }] },
        'rbd ls --pool p': { json: ['a'] },
        'rbd ls --pool p --namespace team': { json: ['b'] },
        'rbd ls --long --pool p': { json: [{ image: 'a' }, { image: 'a', snapshot: 's' }] },
        'rbd ls --long --pool p --namespace team': { json: [{ image: 'b' }] },
        'rbd trash ls --all --pool p --namespace team': { json: [{ id: '10ab', name: 'old' }] },
      },
    });
    expect(found).toEqual({
      items: [
        { kind: 'RBDImage', name: 'a' },
        { kind: 'RBDSnapshot', name: 'a@s' },
        { kind: 'RBDImage', name: 'team/b' },
        { kind: 'RBDTrash', name: 'team/old', detail: 'id 10ab' },
      ],
      gaps: [],
    });
  });

  test('with nothing but the tables of RBD and CSI is empty', async () => {
    expect(await contents(aPool('p'), { replies: EMPTY_POOL })).toEqual({ items: [], gaps: [] });
  });

  test.for([
    ['rbd_group_directory', 0],
    ['rbd_mirroring', 0],
    ['rbd_mirror_leader', 0],
    ['rbd_mirror_instance.4123', 0],
    ['rbd_group_header.10ab', 1],
    ['rbd_header.10ab', 1],
    ['rbd_data.10ab.0000000000000000', 1],
    ['rbd_object_map.10ab', 1],
    ['rbd_group_directory.mine', 1],
    ['my_rbd_directory', 1],
  ] as const)('with an object %s holds %i', async ([name, count]) => {
    const objects = { json: [{ namespace: '', name }] };
    const found = await contents(aPool('p'), { replies: { ...EMPTY_POOL, 'rados --pool p ls': objects } });
    expect(found.items).toHaveLength(count);
  });

  test('with objects of others holds them: the data of images on an erasure-coded pool, of a store that shares it', async () => {
    const objects = { json: [{ namespace: 'z.buckets.data', name: 'x_1' }] };
    const { items } = await contents(aPool('p'), {
      replies: { ...EMPTY_POOL, 'rados --pool p ls': objects },
    });
    expect(items).toEqual([{ kind: 'RADOSObjects', name: 'p', detail: '1 object' }]);
  });

  test('with very many objects is not listed, only counted', async () => {
    const { 'rados --pool p ls': _, ...replies } = EMPTY_POOL;
    const { items, gaps } = await contents(aPool('p'), {
      replies: { ...replies, 'ceph df': counts('p', 2_000_000) },
    });
    expect(items).toEqual([{ kind: 'RADOSObjects', name: 'p', detail: '2000000 objects' }]);
    expect(gaps).toEqual([]);
  });

  test('is looked for under its name in Ceph', async () => {
    const pool = aPool('resource', { spec: { name: 'p' } });
    const { items } = await contents(pool, {
      replies: { ...EMPTY_POOL, 'rbd ls': { json: ['a'] }, 'rbd ls --long': { json: [] } },
    });
    expect(items).toEqual([{ kind: 'RBDImage', name: 'a' }]);
  });

  test('that Ceph does not have holds nothing', async () => {
    expect(await contents(aPool('p'), { replies: { 'ceph osd dump': pools('other') } })).toEqual({
      items: [],
      gaps: [],
    });
  });

  test('of the manager may go: Ceph makes it again', async () => {
    expect(await contents(aPool('builtin-mgr', { spec: { name: '.mgr' } }))).toEqual({ items: [], gaps: [] });
  });

  test.for([
    { name: 'the map', replies: { 'ceph osd dump': 'silence' } },
    { name: 'namespaces', replies: { ...EMPTY_POOL, 'rbd namespace ls': 'silence' } },
    { name: 'images', replies: { ...EMPTY_POOL, 'rbd ls': 'silence' } },
    { name: 'trash', replies: { ...EMPTY_POOL, 'rbd trash ls': 'silence' } },
    { name: 'counts', replies: { ...EMPTY_POOL, 'ceph df': 'silence' } },
    { name: 'objects', replies: { ...EMPTY_POOL, 'rados --pool p ls': 'silence' } },
  ] as const)('is not empty as long as Ceph is silent about $name', async ({ replies }) => {
    const { items, gaps } = await contents(aPool('p'), { replies });
    expect(items).toEqual([]);
    expect(gaps).toHaveLength(1);
    expect(gaps[0]?.reason).toContain('had no answer');
  });

  test('that is half answered shows the half, and the gap', async () => {
    const replies = {
      ...EMPTY_POOL,
      'rbd ls': { json: ['a'] },
      'rbd ls --long': { json: [] },
      'rbd trash ls': 'silence',
    } as const;
    const { items, gaps } = await contents(aPool('p'), { replies });
    expect(items).toEqual([{ kind: 'RBDImage', name: 'a' }]);
    expect(gaps.map(({ what }) => what)).toEqual(['RBD trash of pool p']);
  });
});

describe('a rados namespace', () => {
  const replies = { ...EMPTY_POOL, 'rbd namespace ls': { json: [{ name: 'team' }] } } as const;

  test('holds the images in it, and not those beside it', async () => {
    const found = await contents(aRadosNamespace('r', 'p', { spec: { name: 'team' } }), {
      replies: {
        ...replies,
        'rbd ls --pool p': { json: ['elsewhere'] },
        'rbd ls --pool p --namespace team': { json: ['a'] },
        'rbd ls --long --pool p --namespace team': { json: [] },
      },
    });
    expect(found.items).toEqual([{ kind: 'RBDImage', name: 'team/a' }]);
  });

  test('that Ceph does not have holds nothing', async () => {
    expect(await contents(aRadosNamespace('ghost', 'p'), { replies })).toEqual({ items: [], gaps: [] });
  });

  test('that is implicit holds nothing itself', async () => {
    const { items, gaps, notes } = await contents(
      aRadosNamespace('r', 'p', { spec: { name: '<implicit>' } }),
    );
    expect([items, gaps]).toEqual([[], []]);
    expect(notes).toHaveLength(1);
  });

  test('of a pool whose name differs in Ceph is looked for there', async () => {
    const renamed = aPool('resource', { spec: { name: 'p' } });
    const { items } = await contents(aRadosNamespace('team', 'resource'), {
      objects: [aCluster(), renamed],
      replies: {
        ...replies,
        'rbd ls --pool p --namespace team': { json: ['a'] },
        'rbd ls --long': { json: [] },
      },
    });
    expect(items).toEqual([{ kind: 'RBDImage', name: 'team/a' }]);
  });

  test('of an external cluster stays in Ceph, and so does what it holds', async () => {
    const external = aCluster('c', { spec: { external: { enable: true } } });
    const { items, gaps, notes } = await contents(aRadosNamespace('team', 'p'), { objects: [external] });
    expect([items, gaps]).toEqual([[], []]);
    expect(notes).toEqual(['CephCluster is external, so Rook deletes nothing in it']);
  });
});

describe('a filesystem', () => {
  const replies = {
    'ceph fs ls': { json: [{ name: 'fs', data_pools: ['fs-data0'] }] },
    'ceph fs subvolumegroup ls fs': { json: [{ name: 'csi' }] },
    'ceph fs subvolume ls fs': { json: [] },
    'ceph fs subvolume ls fs csi': { json: [] },
    'ceph df': counts('fs-data0', 0),
    'rados --pool fs-data0 ls': { json: [] },
  } as const satisfies Record<string, Reply>;

  test('holds the subvolumes of its groups, and those outside of all', async () => {
    const { items } = await contents(aFilesystem('fs'), {
      replies: {
        ...replies,
        'ceph fs subvolume ls fs': { json: [{ name: 'loose' }] },
        'ceph fs subvolume ls fs csi': { json: [{ name: 'vol' }] },
      },
    });
    expect(items).toEqual([
      { kind: 'Subvolume', name: 'loose' },
      { kind: 'Subvolume', name: 'csi/vol' },
    ]);
  });

  test('without subvolumes holds what its data pools hold, though the count is still zero', async () => {
    const objects = { json: [{ namespace: '', name: '10000000000.00000000' }] };
    const { items } = await contents(aFilesystem('fs'), {
      replies: { ...replies, 'rados --pool fs-data0 ls': objects },
    });
    expect(items).toEqual([{ kind: 'RADOSObjects', name: 'fs-data0', detail: '1 object' }]);
  });

  test('is empty once its data pools are, though the count is not zero yet', async () => {
    const found = await contents(aFilesystem('fs'), {
      replies: { ...replies, 'ceph df': counts('fs-data0', 7) },
    });
    expect(found).toEqual({ items: [], gaps: [] });
  });

  test('with very many objects is not listed, only counted', async () => {
    const { 'rados --pool fs-data0 ls': _, ...unlisted } = replies;
    const { items } = await contents(aFilesystem('fs'), {
      replies: { ...unlisted, 'ceph df': counts('fs-data0', 700) },
    });
    expect(items).toEqual([{ kind: 'RADOSObjects', name: 'fs-data0', detail: '700 objects' }]);
  });

  test('is empty when all of that is', async () => {
    expect(await contents(aFilesystem('fs'), { replies })).toEqual({ items: [], gaps: [] });
  });

  test.for([
    'ceph fs ls',
    'ceph fs subvolumegroup ls fs',
    'ceph fs subvolume ls fs csi',
    'ceph df',
    'rados --pool fs-data0 ls',
  ])('is not empty as long as "%s" has no answer', async (line) => {
    const { items, gaps } = await contents(aFilesystem('fs'), {
      replies: { ...replies, [line]: 'silence' },
    });
    expect(items).toEqual([]);
    expect(gaps).toHaveLength(1);
  });

  test('has groups that hold their own subvolumes', async () => {
    const group = aSubVolumeGroup('resource', 'fs', { spec: { name: 'csi' } });
    const { items } = await contents(group, {
      replies: { ...replies, 'ceph fs subvolume ls fs csi': { json: [{ name: 'vol' }] } },
    });
    expect(items).toEqual([{ kind: 'Subvolume', name: 'csi/vol' }]);
    expect((await contents(aSubVolumeGroup('ghost', 'fs'), { replies })).items).toEqual([]);
  });
});

describe('an object store', () => {
  const user = { keys: [{ access_key: 'A', secret_key: 'S' }] };
  const replies = {
    'ceph osd dump': pools('s.rgw.buckets.data'),
    'radosgw-admin user info --uid=rgw-admin-ops-user': { json: user },
    'radosgw-admin bucket list': { json: ['from-ceph'] },
  } as const satisfies Record<string, Reply>;

  test('is asked at its gateway, with the keys that Ceph gives', async () => {
    const asked: unknown[] = [];
    const { items } = await contents(aStore('s', { spec: { gateway: { port: 8080 } } }), {
      replies,
      adminOps: (endpoint, key) => {
        asked.push([endpoint, key]);
        return Promise.resolve(['b']);
      },
    });
    expect(items).toEqual([{ kind: 'Bucket', name: 'b' }]);
    expect(asked).toEqual([
      ['http://rook-ceph-rgw-s.rook-ceph.svc:8080', { accessKey: 'A', secretKey: 'S' }],
    ]);
  });

  test('whose gateway is down is asked in Ceph itself', async () => {
    const { items, gaps } = await contents(aStore('s'), { replies });
    expect(items).toEqual([{ kind: 'Bucket', name: 'from-ceph' }]);
    expect(gaps).toEqual([]);
  });

  test('is not asked at the name of a Service from outside of the cluster: it could be anybody there', async () => {
    const { items } = await contents(aStore('s'), {
      replies,
      isInCluster: false,
      adminOps: () => Promise.resolve([]),
    });
    expect(items).toEqual([{ kind: 'Bucket', name: 'from-ceph' }]);
  });

  test('with neither gateway nor Ceph has a gap', async () => {
    const { items, gaps } = await contents(aStore('s'), {
      replies: { ...replies, 'radosgw-admin bucket list': 'silence' },
    });
    expect(items).toEqual([]);
    expect(gaps.map(({ what }) => what)).toEqual(['buckets in object store s']);
  });

  test('that has no pools in Ceph holds nothing', async () => {
    const found = await contents(aStore('s'), { replies: { 'ceph osd dump': pools('other') } });
    expect(found).toEqual({ items: [], gaps: [] });
  });

  test('with shared pools is asked, whatever the pools are called', async () => {
    const store = aStore('s', { spec: { sharedPools: { metadataPoolName: 'm', dataPoolName: 'd' } } });
    const { items } = await contents(store, { replies: { ...replies, 'ceph osd dump': pools('m', 'd') } });
    expect(items).toEqual([{ kind: 'Bucket', name: 'from-ceph' }]);
  });

  test('of others is asked with the keys that they left', async () => {
    const encode = (text: string): string => Buffer.from(text).toString('base64');
    const secret = anObject(Kinds.Secret, 'rgw-admin-ops-user', {
      data: { accessKey: encode('X'), secretKey: encode('Y') },
    });
    const store = aStore('s', {
      spec: { gateway: { port: 80, externalRgwEndpoints: [{ ip: '10.0.0.1' }] } },
    });
    const { items } = await contents(store, {
      objects: [aCluster(), secret],
      adminOps: (endpoint, { accessKey, secretKey }) =>
        Promise.resolve([`${endpoint} ${accessKey} ${secretKey}`]),
    });
    expect(items).toEqual([{ kind: 'Bucket', name: 'http://10.0.0.1:80 X Y' }]);
    const { gaps } = await contents(store);
    expect(gaps[0]?.reason).toContain('there is no Secret rgw-admin-ops-user');
  });

  describe('in a zone', () => {
    const store = aStore('s', { spec: { zone: { name: 'z' } } });
    const group = anObject(Kinds.CephObjectZoneGroup, 'g', { spec: { realm: 'r' } });
    const zone = aZone('z', { spec: { zoneGroup: 'g' } });
    const objects = [aCluster(), group, zone];
    const zones = (master: string, ...names: readonly string[]): Reply => ({
      json: { master_zone: `id-${master}`, zones: names.map((name) => ({ id: `id-${name}`, name })) },
    });
    const inZone = {
      ...replies,
      'ceph osd dump': pools('z.rgw.buckets.data'),
      'radosgw-admin bucket list --rgw-realm=r --rgw-zonegroup=g --rgw-zone=z': { json: ['b'] },
    } as const;

    test('that others follow is needed by them', async () => {
      const { items } = await contents(store, {
        objects,
        replies: { ...inZone, 'radosgw-admin zonegroup get': zones('z', 'z', 'far') },
      });
      expect(items).toEqual([
        { kind: 'PeerZone', name: 'far' },
        { kind: 'Bucket', name: 'b' },
      ]);
    });

    test('that follows another holds copies', async () => {
      const { items, gaps, notes } = await contents(store, {
        objects,
        replies: { ...inZone, 'radosgw-admin zonegroup get': zones('far', 'z', 'far') },
      });
      expect([items, gaps]).toEqual([[], []]);
      expect(notes).toEqual(['its buckets are copies: the master of zone z is far']);
    });

    test('that is not there leaves a gap', async () => {
      const { gaps } = await contents(store, { replies: inZone });
      expect(gaps.map(({ what }) => what)).toEqual([
        'buckets in object store s',
        'peers of zone z in other clusters',
      ]);
      expect(gaps[0]?.reason).toBe('there is no CephObjectZone z');
    });

    test('whose pools go with the zone holds buckets through it', async () => {
      const doomed = aZone('z', { spec: { zoneGroup: 'g', preservePoolsOnDelete: false } });
      const { items } = await contents(doomed, { objects, replies: inZone });
      expect(items).toEqual([{ kind: 'Bucket', name: 'b' }]);
      expect((await contents(zone, { objects, replies: inZone })).notes).toHaveLength(1);
    });
  });
});

test('a kind that holds no data is not asked about', async () => {
  expect(await contents(anObject(Kinds.CephNFS, 'n'))).toEqual({ items: [], gaps: [] });
});

test('without a cluster Rook deletes nothing in Ceph, and a note says so', async () => {
  const { items, gaps, notes } = await contents(aPool('p'), { objects: [] });
  expect([items, gaps]).toEqual([[], []]);
  expect(notes).toHaveLength(1);
});

test('the cluster of another namespace is not asked', async () => {
  const elsewhere = { ...aCluster(), metadata: { name: 'c', namespace: 'other' } };
  expect((await contents(aPool('p'), { objects: [elsewhere], replies: EMPTY_POOL })).notes).toHaveLength(1);
});

test('clusters that may not be listed leave all questions open', async () => {
  const refusals = [{ kind: Kinds.CephCluster, reason: 'forbidden: no' }];
  const { gaps } = await contents(aPool('p'), { refusals });
  expect(gaps).toEqual([{ what: 'RBD images, snapshots and objects in pool p', reason: 'forbidden: no' }]);
});

describe('data that were given up', () => {
  const replies = { 'ceph osd dump': pools('p') };
  const forced = { annotations: { 'rook.io/force-deletion': 'True' } };

  test.for([aPool('p', forced), aRadosNamespace('n', 'p', forced), aSubVolumeGroup('g', 'f', forced)])(
    'to Rook, to be removed with $kind, are not asked for',
    async (resource) => {
      expect(await contents(resource, { replies: {} })).toMatchObject({
        items: [],
        gaps: [],
        notes: [expect.stringContaining('rook.io/force-deletion')],
      });
    },
  );

  test('are asked for where Rook knows no such word', async () => {
    expect((await contents(aFilesystem('f', forced), { replies })).gaps).toHaveLength(1);
  });

  test('with the whole cluster are not asked for, but only once it is being deleted', async () => {
    const spec = { cleanupPolicy: { confirmation: 'yes-really-destroy-data' } };
    const going = aCluster('rook-ceph', { spec, deletionTimestamp: '2030-01-01T00:00:00Z' });
    expect(await contents(aPool('p'), { objects: [going] })).toMatchObject({ items: [], gaps: [] });
    expect((await contents(aPool('p'), { objects: [aCluster('rook-ceph', { spec })] })).gaps).toHaveLength(1);
  });
});
