import { expect, test } from 'vitest';
import { Kinds } from '#pkg/object';
import { fakeReader } from '#test/fakes/reader.ts';
import { aPool, aStore, aVolume } from '#test/fixtures/objects.ts';
import { gather } from './gather.ts';

const { signal } = new AbortController();
const VOLUMES_IF_POOLS = {
  kind: Kinds.PersistentVolume,
  detail: 'object',
  ifAny: Kinds.CephBlockPool,
} as const;
const POOLS = { kind: Kinds.CephBlockPool, namespace: 'rook-ceph', detail: 'object' } as const;

test('looks in a second round at what a find of the first asks for', async () => {
  const reader = fakeReader([aPool('p'), aVolume('v')]);
  const { items } = await gather(reader, [VOLUMES_IF_POOLS, POOLS], signal);
  expect(reader.requests.map(({ kind }) => kind.kind)).toEqual(['CephBlockPool', 'PersistentVolume']);
  expect(items.map(({ kind }) => kind)).toEqual(['CephBlockPool', 'PersistentVolume']);
});

test('leaves the second round out when the first finds nothing', async () => {
  const reader = fakeReader([aVolume('v'), aPool('p', { namespace: 'other' })]);
  expect(await gather(reader, [VOLUMES_IF_POOLS, POOLS], signal)).toEqual({ items: [], gaps: [] });
  expect(reader.requests).toHaveLength(1);
});

test('leaves the second round out when the first finds another kind', async () => {
  const reader = fakeReader([aVolume('v'), aStore('s')]);
  const stores = { kind: Kinds.CephObjectStore, detail: 'object' } as const;
  const { items } = await gather(reader, [VOLUMES_IF_POOLS, POOLS, stores], signal);
  expect(items.map(({ kind }) => kind)).toEqual(['CephObjectStore']);
  expect(reader.requests).toHaveLength(2);
});

test('asks for what the need says and no more', async () => {
  const reader = fakeReader([]);
  await gather(reader, [{ ...POOLS, detail: 'metadata', labelSelector: 'a=b' }], signal);
  expect(reader.requests).toEqual([
    { kind: Kinds.CephBlockPool, namespace: 'rook-ceph', detail: 'metadata', labelSelector: 'a=b' },
  ]);
});

test('keeps what was refused, in either round, with its kind', async () => {
  const reader = fakeReader([aPool('p')], [{ kind: Kinds.PersistentVolume, reason: 'forbidden: no' }]);
  const { gaps } = await gather(reader, [POOLS, VOLUMES_IF_POOLS], signal);
  expect(gaps).toEqual([
    { kind: Kinds.PersistentVolume, gap: { what: 'PersistentVolume', reason: 'forbidden: no' } },
  ]);
});

test('lets the failure of a dead server through', async () => {
  const dead = { list: () => Promise.reject(new Error('gone')) };
  await expect(gather(dead, [POOLS], signal)).rejects.toThrow('gone');
});
