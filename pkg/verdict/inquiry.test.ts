import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { unaskedCeph } from '#pkg/ceph';
import { Kinds, type KubeObject } from '#pkg/object';
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
    expect(reports[0]?.causes).toMatchObject([{ code: 'RD027', object: { kind: 'RBDImage', name: 'i' } }]);
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
