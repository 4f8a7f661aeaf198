import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { skippedCeph, unaskedCeph } from '#pkg/ceph';
import { isRookKind, keyOf, Kinds, refOf, type KubeObject } from '#pkg/object';
import { manifestReader } from '#pkg/snapshot';
import { fakeReader } from '#test/fakes/reader.ts';
import { example, exampleObjects } from '#test/fixtures/examples.ts';
import {
  aCluster,
  aFilesystem,
  anObject,
  aPool,
  aRadosNamespace,
  aStore,
  aVolume,
} from '#test/fixtures/objects.ts';
import { worldObject } from '#test/fixtures/worlds.ts';
import type { Lister } from './gather.ts';
import { inquire } from './inquiry.ts';

const { signal } = new AbortController();
const pool = aPool('p');
const volume = aVolume('v', {
  attributes: { clusterID: 'rook-ceph', pool: 'p' },
  spec: { claimRef: { namespace: 'shop', name: 'data' } },
});
const pod = anObject(Kinds.Pod, 'db', {
  namespace: 'shop',
  spec: { volumes: [{ persistentVolumeClaim: { claimName: 'data' } }] },
});

function kindsAsked({ requests }: ReturnType<typeof fakeReader>): readonly string[] {
  return requests.map(({ kind }) => kind.kind);
}

describe('pods', () => {
  test('are looked at when volumes hold the subject', async () => {
    const reader = fakeReader([aCluster(), pool, volume, pod]);
    const [report] = await inquire(reader, [pool], undefined, signal);
    expect(kindsAsked(reader)).toContain('Pod');
    expect(report?.related).toMatchObject([{ code: 'RD031' }, { code: 'RD032', object: { name: 'db' } }]);
  });

  test('are not looked at when none do', async () => {
    const reader = fakeReader([aCluster(), pool, pod, aRadosNamespace('tenant', 'p')]);
    await inquire(reader, [pool], undefined, signal);
    expect(kindsAsked(reader)).not.toContain('Pod');
  });

  test('that are refused leave a gap, and the verdict as it is', async () => {
    const reader = fakeReader([aCluster(), pool, volume], [{ kind: Kinds.Pod, reason: 'forbidden: no' }]);
    const [report] = await inquire(reader, [pool], undefined, signal);
    expect(report).toMatchObject({ verdict: 'Blocked', gaps: [{ what: 'Pod', reason: 'forbidden: no' }] });
  });
});

describe('several subjects', () => {
  const store = aStore('s');
  const client = { kind: Kinds.CephObjectStoreUser, reason: 'forbidden: no' };

  test('are answered in the order they were asked', async () => {
    const reports = await inquire(fakeReader([store, pool]), [store, pool], undefined, signal);
    expect(reports.map(({ subject }) => subject.name)).toEqual(['s', 'p']);
  });

  test('have each kind listed once', async () => {
    const reader = fakeReader([aCluster(), pool, volume, store, aFilesystem('f')]);
    await inquire(reader, [pool, store, aFilesystem('f')], undefined, signal);
    expect(kindsAsked(reader).toSorted()).toEqual([...new Set(kindsAsked(reader))].sort());
  });

  test('have each only the gaps that matter to it', async () => {
    const reports = await inquire(fakeReader([store, pool], [client]), [store, pool], undefined, signal);
    expect(reports).toMatchObject([
      { verdict: 'Unknown', gaps: [{ what: 'CephObjectStoreUser' }] },
      { verdict: 'Deletable', gaps: [] },
    ]);
  });

  test('have the gap of the pods only where volumes hold them', async () => {
    const reader = fakeReader(
      [aCluster(), pool, volume, store],
      [{ kind: Kinds.Pod, reason: 'forbidden: no' }],
    );
    const reports = await inquire(reader, [pool, store], undefined, signal);
    expect(reports.map(({ gaps }) => gaps.length)).toEqual([1, 0]);
  });
});

describe('what the rules cannot tell', () => {
  test.for([
    { kind: 'Namespace', what: 'dependents of a Namespace' },
    { kind: 'Ingress', what: 'dependents of an Ingress' },
  ])('of a kind without rules, $kind, leaves the verdict open', async ({ kind, what }) => {
    const subject = { apiVersion: 'v1', kind, metadata: { name: 'rook-ceph' } };
    const [report] = await inquire(fakeReader([aCluster()]), [subject], undefined, signal);
    expect(report).toMatchObject({
      verdict: 'Unknown',
      gaps: [{ what, reason: 'no rule knows what depends on this kind' }],
    });
  });

  test('of a leaf is nothing', async () => {
    const client = anObject(Kinds.CephClient, 'c');
    const reports = await inquire(fakeReader([client, pod]), [client, pod], undefined, signal);
    expect(reports.map(({ verdict }) => verdict)).toEqual(['Deletable', 'Deletable']);
  });

  test('of a volume that does not say where it is stored is a gap, for the kinds it may be stored in', async () => {
    const objects = [aCluster(), pool, aStore('s'), aFilesystem('f'), aVolume('noid')];
    const reports = await inquire(fakeReader(objects), objects.slice(1, 4), undefined, signal);
    const gap = { what: 'PersistentVolume noid', reason: 'cannot tell where it is stored' };
    expect(reports.map(({ verdict, gaps }) => ({ verdict, gaps }))).toEqual([
      { verdict: 'Unknown', gaps: [gap] },
      { verdict: 'Deletable', gaps: [] },
      { verdict: 'Deletable', gaps: [] },
    ]);
  });

  test('of a claim to a bucket names its namespace', async () => {
    const claim = anObject(Kinds.ObjectBucketClaim, 'c', {
      namespace: 'shop',
      labels: { 'bucket-provisioner': 'ceph.rook.io-bucket' },
    });
    const [report] = await inquire(fakeReader([claim]), [aStore('s')], undefined, signal);
    expect(report?.gaps).toMatchObject([{ what: 'ObjectBucketClaim shop/c' }]);
  });
});

describe('a report', () => {
  const thief = aRadosNamespace('thief', 'x', { namespace: 'other', spec: { clusterID: 'rook-ceph' } });

  test('is the same alone, among others, and with all namespaces in view', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(worldObject, { minLength: 4, maxLength: 25 }), async (objects) => {
        const reader = manifestReader(objects);
        const everywhere: Lister = {
          list: (request, ending) => reader.list({ ...request, namespace: undefined }, ending),
        };
        const unique = new Map(objects.map((object) => [keyOf(refOf(object)), object]));
        const subjects = [...unique.values()].filter((object) => isRookKind(refOf(object)));
        const among = await inquire(reader, subjects, undefined, signal);
        for (const [at, subject] of subjects.entries()) {
          const alone = await inquire(reader, [subject], undefined, signal);
          const inView = await inquire(everywhere, [subject], undefined, signal);
          expect(among[at]).toEqual(alone[0]);
          expect(inView).toEqual(alone);
        }
      }),
      { numRuns: 60, examples: [[[aCluster(), pool, volume, thief]]] },
    );
  });

  test('cannot be emptied by somebody who claims the clusterID in another namespace', async () => {
    const reader = fakeReader([aCluster(), pool, volume, thief]);
    const reports = await inquire(reader, [pool, thief], undefined, signal);
    expect(reports[0]).toMatchObject({ verdict: 'Blocked', causes: [{ code: 'RD023' }] });
  });
});

describe('Ceph', () => {
  test('that is not asked leaves a gap for a kind that holds data', async () => {
    const [report] = await inquire(fakeReader([pool]), [pool], unaskedCeph(), signal);
    expect(report).toMatchObject({ verdict: 'Unknown', gaps: [{ what: expect.stringContaining('pool p') }] });
  });

  test('is not counted when it is left out', async () => {
    const [report] = await inquire(fakeReader([pool]), [pool], undefined, signal);
    expect(report).toMatchObject({ verdict: 'Deletable', gaps: [] });
  });

  test('is asked about each subject, and its answer blocks that one', async () => {
    const ceph = {
      contentsOf: (resource: KubeObject) =>
        Promise.resolve({
          items: resource.kind === 'CephBlockPool' ? [{ kind: 'RBDImage', name: 'i' }] : [],
          gaps: [],
        }),
    };
    const reports = await inquire(fakeReader([pool]), [pool, aStore('s')], ceph, signal);
    expect(reports.map(({ verdict }) => verdict)).toEqual(['Blocked', 'Deletable']);
    expect(reports[0]?.causes).toMatchObject([{ code: 'RD050', object: { kind: 'RBDImage', name: 'i' } }]);
  });
});

describe('the operator', () => {
  const terminating = aPool('p', {
    deletionTimestamp: '2026-11-12T16:03:27Z',
    finalizers: ['cephblockpool.ceph.rook.io'],
  });
  const operator = anObject(Kinds.Pod, 'o', {
    labels: { app: 'rook-ceph-operator' },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });

  test('is looked for, by its label, only when something is terminating', async () => {
    const reader = fakeReader([operator]);
    const [report] = await inquire(reader, [terminating], undefined, signal);
    expect(report?.deletion?.operator).toBe('Running');
    expect(reader.requests.at(-1)).toMatchObject({ labelSelector: 'app=rook-ceph-operator' });
    const other = fakeReader([operator]);
    await inquire(other, [pool], undefined, signal);
    expect(kindsAsked(other)).not.toContain('Pod');
  });

  test('is NotFound among other pods', async () => {
    const [report] = await inquire(fakeReader([pod]), [terminating], undefined, signal);
    expect(report?.deletion?.operator).toBe('NotFound');
  });

  test('is Unknown when pods may not be listed, which is no gap', async () => {
    const reader = fakeReader([], [{ kind: Kinds.Pod, reason: 'forbidden: no' }]);
    const [report] = await inquire(reader, [terminating], undefined, signal);
    expect(report).toMatchObject({ verdict: 'Deletable', deletion: { operator: 'Unknown' }, gaps: [] });
  });
});

describe('the example cluster', () => {
  let objects: readonly KubeObject[] = [];
  beforeAll(async () => {
    objects = await exampleObjects();
  });
  const subjects = (): readonly KubeObject[] => [
    example(objects, 'CephBlockPool', 'replicapool'),
    example(objects, 'CephFilesystem', 'scratchfs'),
    example(objects, 'CephObjectStore', 'media-store'),
    example(objects, 'CephCluster', 'rook-ceph'),
  ];

  test('gives the report of a blocked, terminating filesystem in its agreed shape', async () => {
    const subject = example(objects, 'CephFilesystem', 'scratchfs');
    const [report] = await inquire(fakeReader(objects), [subject], unaskedCeph(), signal);
    await expect(`${JSON.stringify(report, undefined, 2)}\n`).toMatchFileSnapshot(
      '../../test/fixtures/golden/report-scratchfs.json.txt',
    );
  });

  test('gives the same reports whatever the order of its objects', async () => {
    const expected = await inquire(manifestReader(objects), subjects(), unaskedCeph(), signal);
    const orders = fc.shuffledSubarray([...objects], { minLength: objects.length });
    await fc.assert(
      fc.asyncProperty(orders, async (shuffled) => {
        const reports = await inquire(manifestReader(shuffled), subjects(), unaskedCeph(), signal);
        expect(reports).toEqual(expected);
      }),
      { numRuns: 15 },
    );
  });

  test('gives the same reports when lists bring only what was asked of them', async () => {
    const whole = await inquire(manifestReader(objects), subjects(), unaskedCeph(), signal);
    expect(await inquire(fakeReader(objects), subjects(), unaskedCeph(), signal)).toEqual(whole);
  });
});

describe('what is composed', () => {
  const part = { apiVersion: 'ceph.rook.io/v1', kind: 'CephBlockPool', namespace: 'rook-ceph', name: 'p' };
  const whole = anObject(Kinds.StorageComposite, 's', { uid: '1', status: { resources: [part] } });
  const claim = anObject(Kinds.StorageClaim, 'c', { spec: { compositeRef: { name: 's' } } });
  const bound = {
    ...whole,
    spec: {
      claimRef: {
        apiVersion: 'rook-deps.io/v1alpha1',
        kind: 'StorageClaim',
        namespace: 'rook-ceph',
        name: 'c',
      },
    },
  };
  const ownerReferences = [
    { apiVersion: 'rook-deps.io/v1alpha1', kind: 'StorageComposite', name: 's', uid: '1', controller: true },
  ];
  const pool = aPool('p', { ownerReferences });
  const ask = async (subject: KubeObject, ...objects: readonly KubeObject[]) => {
    const [report] = await inquire(fakeReader(objects), [subject], skippedCeph(), signal);
    return report;
  };

  test('is held by what holds a part of it', async () => {
    const volume = aVolume('v', { attributes: { clusterID: 'rook-ceph', pool: 'p' } });
    for (const subject of [bound, claim]) {
      const report = await ask(subject, aCluster(), pool, bound, claim, volume);
      expect(report?.verdict).toBe('Blocked');
      expect(report?.causes.map(({ object }) => object.name)).toEqual(['v']);
    }
  });

  test('is not held by its own parts', async () => {
    const inner = aRadosNamespace('t', 'p', { ownerReferences });
    const listed = { ...part, kind: 'CephBlockPoolRadosNamespace', name: 't' };
    const both = { ...whole, status: { resources: [part, listed] } };
    const report = await ask(both, aCluster(), pool, inner, both);
    expect(report?.verdict).toBe('Deletable');
  });

  test('is told with a part that a foreground deletion would not wait for', async () => {
    const report = await ask(whole, aCluster(), pool, whole);
    expect(report?.related.map(({ code }) => code)).toEqual(['RD062']);
    const awaited = ownerReferences.map((owner) => ({ ...owner, blockOwnerDeletion: true }));
    const right = await ask(whole, aCluster(), aPool('p', { ownerReferences: awaited }), whole);
    expect(right?.related.map(({ code }) => code)).toEqual(['RD030']);
  });
});
