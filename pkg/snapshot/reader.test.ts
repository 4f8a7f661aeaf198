import { describe, expect, test } from 'vitest';
import { Kinds, type KubeObject } from '#pkg/object';
import { anObject, aPool, aVolume } from '#test/fixtures/objects.ts';
import { manifestReader } from './reader.ts';

const { signal } = new AbortController();
const OBJECTS = [
  aPool('a', { labels: { tier: 'gold', zone: 'x' } }),
  aPool('b', { labels: { tier: 'silver' } }),
  aPool('a', { namespace: 'other' }),
  aVolume('v'),
];
const reader = manifestReader(OBJECTS);

describe('get', () => {
  test('finds an object by kind, namespace and name', async () => {
    expect(await reader.get(Kinds.CephBlockPool, 'other', 'a', signal)).toBe(OBJECTS[2]);
    expect(await reader.get(Kinds.PersistentVolume, undefined, 'v', signal)).toBe(OBJECTS[3]);
  });

  test('finds nothing where there is nothing', async () => {
    expect(await reader.get(Kinds.CephBlockPool, 'shop', 'a', signal)).toBeUndefined();
    expect(await reader.get(Kinds.CephNFS, 'rook-ceph', 'a', signal)).toBeUndefined();
  });
});

describe('list', () => {
  const rows = [
    { name: 'all namespaces', request: {}, names: ['rook-ceph/a', 'rook-ceph/b', 'other/a'] },
    { name: 'one namespace', request: { namespace: 'rook-ceph' }, names: ['rook-ceph/a', 'rook-ceph/b'] },
    { name: 'an empty namespace', request: { namespace: 'shop' }, names: [] },
    { name: 'a label', request: { labelSelector: 'tier=gold' }, names: ['rook-ceph/a'] },
    { name: 'another label', request: { labelSelector: 'tier!=gold' }, names: ['rook-ceph/b', 'other/a'] },
    { name: 'a set', request: { labelSelector: 'tier in (gold,silver),!zone' }, names: ['rook-ceph/b'] },
  ];
  test.for(rows)('takes $name', async ({ request, names }) => {
    const { items, gaps } = await reader.list(
      { kind: Kinds.CephBlockPool, detail: 'object', ...request },
      signal,
    );
    expect(items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual(names);
    expect(gaps).toEqual([]);
  });

  test('has no gap for a kind that is not there', async () => {
    expect(await reader.list({ kind: Kinds.CosiBucket, detail: 'object' }, signal)).toEqual({
      items: [],
      gaps: [],
    });
  });
});

describe('types', () => {
  const definition: KubeObject = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'mice.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { kind: 'Mouse', plural: 'mice', singular: 'mouse', shortNames: ['mo', 7] },
      versions: [{ name: 'v2' }],
    },
  };
  const widget: KubeObject = {
    apiVersion: 'example.com/v1beta1',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'x' },
  };

  test('of Rook are known without any object', async () => {
    const types = await manifestReader([]).types(signal);
    for (const word of ['cephblockpools', 'CephBlockPool', 'cephbp', 'cephblockpools.ceph.rook.io']) {
      expect(types.resolve(word)?.kind).toBe('CephBlockPool');
    }
  });

  test('come from the definitions among the manifests', async () => {
    const types = await manifestReader([definition]).types(signal);
    for (const word of ['mice', 'mouse', 'mo', 'mice.example.com']) {
      expect(types.resolve(word)).toMatchObject({ kind: 'Mouse', version: 'v2', namespaced: false });
    }
  });

  test('of any other object answer to its own kind', async () => {
    const types = await manifestReader([widget]).types(signal);
    expect(types.resolve('widgets')).toMatchObject({
      group: 'example.com',
      version: 'v1beta1',
      namespaced: true,
    });
  });

  test('of a definition that is not one are left out', async () => {
    const broken = { ...definition, spec: { names: { kind: 7 } } };
    const types = await manifestReader([broken, anObject(Kinds.Pod, 'p')]).types(signal);
    expect(types.resolve('mice')).toBeUndefined();
    expect(types.resolve('pods')?.kind).toBe('Pod');
  });
});
