import { expect, test } from 'vitest';
import { ROOK_KINDS } from '#pkg/object';
import { anObject, aPool, aStore } from '#test/fixtures/objects.ts';
import { preferredCeph, skippedCeph, unaskedCeph } from '#pkg/ceph';

const { signal } = new AbortController();
const HOLD_DATA = [
  'CephBlockPool',
  'CephBlockPoolRadosNamespace',
  'CephFilesystem',
  'CephFilesystemSubVolumeGroup',
  'CephObjectStore',
  'CephObjectZone',
];

test.for(ROOK_KINDS.map((type) => ({ type, kind: type.kind })))(
  '$kind has a gap exactly if it holds data',
  async ({ type, kind }) => {
    const { items, gaps } = await unaskedCeph().contentsOf(anObject(type, 'x'), signal);
    expect(items).toEqual([]);
    expect(gaps).toHaveLength(HOLD_DATA.includes(kind) ? 1 : 0);
  },
);

test('the gap of a pool names the pool inside Ceph', async () => {
  const pool = aPool('builtin-mgr', { spec: { name: '.mgr' } });
  expect(await unaskedCeph().contentsOf(pool, signal)).toEqual({
    items: [],
    gaps: [
      {
        what: 'RBD images, snapshots and objects in pool .mgr',
        reason: 'only Ceph can tell, and it was not asked',
      },
    ],
  });
});

test('a store in a zone has peers to ask about, too', async () => {
  const { gaps } = await unaskedCeph().contentsOf(aStore('s', { spec: { zone: { name: 'z' } } }), signal);
  expect(gaps.map(({ what }) => what)).toEqual([
    'buckets in object store s',
    'peers of zone z in other clusters',
  ]);
});

test('a kind of another group has none, whatever its name', async () => {
  const stranger = { ...aPool('p'), apiVersion: 'example.com/v1' };
  expect((await unaskedCeph().contentsOf(stranger, signal)).gaps).toEqual([]);
});

test('leaving Ceph out is no gap, but the answer notes what it lacks', async () => {
  expect(await skippedCeph().contentsOf(aPool('p'), signal)).toEqual({
    items: [],
    gaps: [],
    notes: ['Ceph was left out, so this says nothing about RBD images, snapshots and objects in pool p'],
  });
});

test('preferring an answer keeps what came, and notes what did not', async () => {
  const items = [{ kind: 'RBDImage', name: 'i' }] as const;
  const half = { items, gaps: [{ what: 'RBD trash of pool p', reason: 'no answer' }], notes: ['x'] };
  const ceph = preferredCeph({ contentsOf: () => Promise.resolve(half) });
  expect(await ceph.contentsOf(aPool('p'), signal)).toEqual({
    items,
    gaps: [],
    notes: ['x', 'Ceph did not tell about RBD trash of pool p: no answer'],
  });
});
