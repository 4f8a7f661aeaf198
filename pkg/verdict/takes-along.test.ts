import { describe, expect, test } from 'vitest';
import { DESTROY_DATA, Kinds, refOf, ROOK_KINDS, type KubeObject } from '#pkg/object';
import { skippedCeph } from '#pkg/ceph';
import { fakeReader } from '#test/fakes/reader.ts';
import {
  aClass,
  aCluster,
  anObject,
  aPool,
  aRadosNamespace,
  aStore,
  aVolume,
} from '#test/fixtures/objects.ts';
import { decide, inquire, type ContentsReader } from './inquiry.ts';
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

describe('a cluster with yes-really-destroy-data', () => {
  const spec = { cleanupPolicy: { confirmation: DESTROY_DATA } };
  const cluster = aCluster('c', { spec });
  const inside = [aPool('p'), aRadosNamespace('n', 'p')];
  const volume = aVolume('v', { attributes: { clusterID: 'rook-ceph', pool: 'p' } });
  const images: ContentsReader = {
    contentsOf: async ({ kind }) =>
      kind === 'CephBlockPool'
        ? { items: [{ kind: 'RBDImage', name: 'i' }], gaps: [{ what: 'x', reason: 'y' }] }
        : { items: [], gaps: [] },
  };
  const verdictOn = async (subject: KubeObject, ...others: readonly KubeObject[]) => {
    const reader = fakeReader([NAMESPACE, subject, ...inside, ...others]);
    const [report] = await inquire(reader, [subject], images, SIGNAL);
    const [decision] = await decide(reader, [subject], skippedCeph(), SIGNAL);
    expect(decision?.causes.map(({ object }) => object.name)).toEqual(
      report?.causes.filter(({ object }) => object.apiVersion !== 'ceph').map(({ object }) => object.name),
    );
    return report;
  };

  test('takes along what is of Rook in its namespace, until it is being deleted', () => {
    const taken = takenAlongBy(cluster);
    expect(taken?.resources).toHaveLength(ROOK_KINDS.length);
    expect(taken?.goes(refOf(aPool('p')))).toBe(true);
    expect(taken?.goes(refOf(aPool('p', { namespace: 'other' })))).toBe(false);
    expect(taken?.goes({ group: 'objectbucket.io', kind: 'ObjectBucketClaim', namespace: 'rook-ceph' })).toBe(
      false,
    );
    expect(takenAlongBy(aCluster('c', { spec, deletionTimestamp: '2030-01-01T00:00:00Z' }))).toBeUndefined();
    expect(takenAlongBy(aCluster('c'))).toBeUndefined();
  });

  test('is not held by what is in it, nor by what Ceph holds or does not tell', async () => {
    expect(await verdictOn(cluster)).toMatchObject({
      verdict: 'Deletable',
      causes: [],
      gaps: [],
      notes: [expect.stringContaining('yes-really-destroy-data')],
    });
  });

  test('nor is its namespace', async () => {
    const told = async (one: KubeObject) => {
      const report = await verdictOn(NAMESPACE, one);
      return { causes: report?.causes.length, gaps: report?.gaps.map(({ what }) => what) };
    };
    // Of namespaces nobody knows all that is lost with them.
    expect(await told(cluster)).toEqual({ causes: 0, gaps: ['dependents of a Namespace'] });
    expect(await told(aCluster('c'))).toEqual({ causes: 1, gaps: ['dependents of a Namespace', 'x'] });
  });

  test('is held by a volume on what is in it, once each, unless volumes are given up as well', async () => {
    const told = await verdictOn(cluster, volume);
    expect(told?.causes.map(({ object, part }) => `${object.name} needs ${part?.kind ?? 'it'}`)).toEqual([
      'v needs it',
      'v needs CephBlockPool',
    ]);
    const cleanupPolicy = { ...spec.cleanupPolicy, allowUninstallWithVolumes: true };
    expect(await verdictOn(aCluster('c', { spec: { cleanupPolicy } }), volume)).toMatchObject({
      verdict: 'Deletable',
    });
  });

  test('holds what is in it while it is not being deleted', async () => {
    const [report] = await inquire(fakeReader([cluster, ...inside]), [aPool('p')], skippedCeph(), SIGNAL);
    expect(report?.verdict).toBe('Blocked');
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
