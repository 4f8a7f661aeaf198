import { describe, expect, test } from 'vitest';
import { keyOf, Kinds, refOf, type KubeObject } from '#pkg/object';
import { anObject, aPool } from '#test/fixtures/objects.ts';
import { DependencyIndex } from './dependency-index.ts';

const POOL = { apiVersion: 'ceph.rook.io/v1', kind: 'CephBlockPool' };

const aUsage = (of: object, rest: object = {}, namespace = 'rook-ceph'): KubeObject => ({
  apiVersion: 'rook-deps.io/v1alpha1',
  kind: 'Usage',
  metadata: { name: 'u', namespace },
  spec: { of: { ...POOL, ...of }, reason: 'needed' },
  ...rest,
});

function holders(of: KubeObject, ...objects: readonly KubeObject[]): readonly string[] {
  const index = new DependencyIndex([of, ...objects]);
  const edges = index.graph.edgesAt(keyOf(refOf(of)), 'dependents').filter(({ code }) => code === 'RD039');
  return edges.map(
    ({ dependent, detail, blocks }) => `${dependent.name} (${detail ?? ''}) ${blocks ? 'blocks' : ''}`,
  );
}

describe('RD039', () => {
  test('a usage holds the object that it names', () => {
    expect(holders(aPool('p'), aUsage({ resourceRef: { name: 'p' } }))).toEqual(['u (needed) blocks']);
  });

  test('a usage of another name, kind or namespace does not', () => {
    const others = [
      aUsage({ resourceRef: { name: 'p2' } }),
      aUsage({ kind: 'CephFilesystem', resourceRef: { name: 'p' } }),
      aUsage({ resourceRef: { name: 'p' } }, {}, 'other'),
      aUsage({ resourceSelector: { matchLabels: {} } }),
    ];
    for (const usage of others) expect(holders(aPool('p'), usage)).toEqual([]);
  });

  test('a usage may name an object of another namespace, or of none', () => {
    const far = aUsage({ resourceRef: { name: 'p', namespace: 'rook-ceph' } }, {}, 'other');
    expect(holders(aPool('p'), far)).toEqual(['u (needed) blocks']);
    const volume = anObject(Kinds.PersistentVolume, 'pv');
    const ofVolume = aUsage({ apiVersion: 'v1', kind: 'PersistentVolume', resourceRef: { name: 'pv' } });
    expect(holders(volume, ofVolume)).toEqual(['u (needed) blocks']);
  });

  test('a usage holds the namespace and the definition of its object, with which that would go', () => {
    const inPool = aUsage({ resourceRef: { name: 'p' } });
    const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rook-ceph' } };
    const definition = (kind: string): KubeObject => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${kind.toLowerCase()}s.ceph.rook.io` },
      spec: { group: 'ceph.rook.io', names: { kind } },
    });
    const held = ['u (CephBlockPool/p is in use) blocks'];
    expect(holders(namespace, inPool)).toEqual(held);
    expect(holders(definition('CephBlockPool'), inPool)).toEqual(held);
    expect(holders(definition('CephFilesystem'), inPool)).toEqual([]);
    expect(holders({ ...namespace, metadata: { name: 'other' } }, inPool)).toEqual([]);
    const ofVolume = aUsage({ apiVersion: 'v1', kind: 'PersistentVolume', resourceRef: { name: 'pv' } });
    expect(holders(namespace, ofVolume)).toEqual([]);
    const conditions = [{ type: 'Ready', status: 'False', reason: 'UsedNotFound' }];
    expect(holders(namespace, { ...inPool, status: { conditions } })).toEqual([]);
  });

  test('a released usage holds nothing', () => {
    expect(
      holders(aPool('p'), aUsage({ resourceRef: { name: 'p' } }, { status: { released: true } })),
    ).toEqual([]);
  });

  test('a usage of an object that is not there holds nothing', () => {
    expect(holders(aPool('q'), aUsage({ resourceRef: { name: 'p' } }))).toEqual([]);
  });
});
