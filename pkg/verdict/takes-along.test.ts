import { describe, expect, test } from 'vitest';
import { Kinds, refOf, ROOK_KINDS, type KubeObject } from '#pkg/object';
import { skippedCeph } from '#pkg/ceph';
import { fakeReader } from '#test/fakes/reader.ts';
import { aClass, anObject, aPool, aRadosNamespace, aStore, aVolume } from '#test/fixtures/objects.ts';
import { decide, inquire } from './inquiry.ts';
import { takenAlongBy } from './takes-along.ts';

const SIGNAL = new AbortController().signal;
const NAMESPACE: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rook-ceph' } };
const definitionOf = (name: string): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name },
});

describe('what goes with', () => {
  test('a namespace is all in it', () => {
    const taken = takenAlongBy(NAMESPACE);
    expect(taken?.resources).toHaveLength(ROOK_KINDS.length);
    expect(taken?.goes(refOf(aPool('p')))).toBe(true);
    expect(taken?.goes(refOf(aVolume('v')))).toBe(false);
  });

  test('a definition of Rook is all of its kind', () => {
    const taken = takenAlongBy(definitionOf('cephblockpools.ceph.rook.io'));
    expect(taken?.resources).toEqual([{ kind: Kinds.CephBlockPool }]);
    expect(taken?.goes(refOf(aPool('p')))).toBe(true);
    expect(taken?.goes(refOf(aRadosNamespace('n', 'p')))).toBe(false);
  });

  test.for([definitionOf('widgets.example.com'), aPool('p')])('$kind $metadata.name is nothing', (object) => {
    expect(takenAlongBy(object)).toBeUndefined();
  });
});

describe('a namespace', () => {
  const inside = [aPool('p'), aRadosNamespace('n', 'p'), aStore('s')];
  const user = anObject(Kinds.CephObjectStoreUser, 'u', {
    namespace: 'tenant',
    spec: { store: 's', clusterNamespace: 'rook-ceph' },
  });

  async function causes(...objects: readonly KubeObject[]): Promise<readonly string[]> {
    const [report] = await decide(fakeReader([NAMESPACE, ...objects]), [NAMESPACE], skippedCeph(), SIGNAL);
    return (report?.causes ?? []).map(({ object, part }) => `${object.kind} needs ${part?.name ?? 'it'}`);
  }

  test('is not held by what goes with it', async () => {
    const reader = fakeReader([NAMESPACE, ...inside]);
    const [report] = await decide(reader, [NAMESPACE], skippedCeph(), SIGNAL);
    expect(report).toMatchObject({ verdict: 'Deletable', causes: [], gaps: [] });
  });

  test('is not held by what goes with it and is not of Rook', async () => {
    const parameters = { objectStoreName: 's', objectStoreNamespace: 'rook-ceph' };
    const bucketClass = aClass('buckets', 'rook-ceph.ceph.rook.io/bucket', parameters);
    const claimIn = (home: string): KubeObject =>
      anObject(Kinds.ObjectBucketClaim, 'c', { namespace: home, spec: { storageClassName: 'buckets' } });
    expect(await causes(...inside, bucketClass, claimIn('rook-ceph'))).toEqual([]);
    expect(await causes(...inside, bucketClass, claimIn('shop'))).toEqual(['ObjectBucketClaim needs s']);
  });

  test('is held by a user in another namespace', async () => {
    expect(await causes(...inside, user)).toEqual(['CephObjectStoreUser needs s']);
  });

  test('is held for "why" as well, which says that it does not know all that may be in it', async () => {
    const reader = fakeReader([NAMESPACE, ...inside, user]);
    const [report] = await inquire(reader, [NAMESPACE], skippedCeph(), SIGNAL);
    expect(report).toMatchObject({
      verdict: 'Blocked',
      causes: [{ object: { name: 'u' }, part: { name: 's' } }],
    });
    expect(report?.gaps.map(({ what }) => what)).toEqual(['dependents of a Namespace']);
  });

  test('that cannot be looked into is in doubt', async () => {
    const reader = fakeReader([NAMESPACE], [{ kind: Kinds.CephNFS, reason: 'forbidden: no' }]);
    const [report] = await decide(reader, [NAMESPACE], skippedCeph(), SIGNAL);
    expect(report?.verdict).toBe('Unknown');
  });
});

describe('a definition of a kind of Rook that no rule knows', () => {
  const definition: KubeObject = {
    ...definitionOf('cephnovelties.ceph.rook.io'),
    spec: {
      group: 'ceph.rook.io',
      scope: 'Namespaced',
      names: { plural: 'cephnovelties', kind: 'CephNovelty' },
      versions: [{ name: 'v1', served: true }],
    },
  };
  const novelty: KubeObject = {
    apiVersion: 'ceph.rook.io/v1',
    kind: 'CephNovelty',
    metadata: { name: 'n', namespace: 'rook-ceph' },
  };

  test('may go without objects, and with one nobody can tell', async () => {
    const verdictOf = async (...objects: readonly KubeObject[]): Promise<string | undefined> =>
      (await decide(fakeReader([definition, ...objects]), [definition], skippedCeph(), SIGNAL))[0]?.verdict;
    expect(await verdictOf()).toBe('Deletable');
    expect(await verdictOf(novelty)).toBe('Unknown');
  });
});
