import { expect, test } from 'vitest';
import { Kinds, refOf, type KubeObject, type OwnerReference } from '#pkg/object';
import { FakeClock } from '#test/fakes/fake-clock.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { aCluster, anObject, aPool, aVolume } from '#test/fixtures/objects.ts';
import { carryOut, type Progress, type Result } from './carry-out.ts';
import type { Plan, Step } from './plan.ts';
import { surveyTeardown } from './survey.ts';

const { signal } = new AbortController();
const owner = (kind: string, name: string, apiVersion: string): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid: `uid-of-${name}`,
});
const composed = owner('StorageComposite', 'whole', 'rook-deps.io/v1alpha1');
const shared = owner('Gadget', 'g', 'example.org/v1');
const gadget: KubeObject = { apiVersion: 'example.org/v1', kind: 'Gadget', metadata: { name: 'g' } };
const part = (...ownerReferences: readonly OwnerReference[]): KubeObject =>
  anObject(Kinds.ConfigMap, 'part', { ownerReferences });
const listed = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'rook-ceph', name: 'part' };
const whole = anObject(Kinds.StorageComposite, 'whole', {
  uid: 'uid-of-whole',
  status: { resources: [listed] },
});

/** Deletes the composite; `meanwhile` is called once its deletion was accepted. */
async function run(
  objects: readonly KubeObject[],
  meanwhile: (cluster: FakeCluster) => void,
  before: (cluster: FakeCluster) => void = () => undefined,
  limitMs = 3_000,
): Promise<{ readonly result: Result; readonly said: readonly Progress[] }> {
  const clock = new FakeClock();
  const cluster = new FakeCluster(clock.now, objects);
  const reader = {
    types: () => Promise.resolve(cluster.types),
    get: (kind: { group: string; kind: string }, namespace: string | undefined, name: string) => {
      const ref = { group: kind.group, kind: kind.kind, name };
      return Promise.resolve(cluster.at({ ...ref, namespace }) ?? cluster.at(ref));
    },
    list: cluster.list,
  };
  const ceph = { contentsOf: () => Promise.resolve({ items: [], gaps: [] }) };
  const look = async () => {
    const left = cluster.at(refOf(whole));
    return surveyTeardown(left ? [left] : [], { includeData: false }, { reader, ceph }, signal);
  };
  const said: Progress[] = [];
  const report = (progress: Progress): void => {
    said.push(progress);
    if (progress.kind === 'accepted') meanwhile(cluster);
  };
  const orders = { cascade: 'Background', wait: true, deadlineMs: clock.now() + limitMs } as const;
  const ports = { reader, writer: cluster.writer, clock, look, report };
  const agreed = await look();
  before(cluster);
  const running = carryOut(agreed, orders, ports, signal);
  await clock.advance(5_000);
  return { result: await running, said };
}

test.for([
  { name: 'that another owner has come to', now: part(composed, shared), otherOwner: 'Gadget/g' },
  { name: 'that has lost its owner', now: part(), otherOwner: undefined },
])('a part $name is told of, and not waited for', async ({ now, otherOwner }) => {
  const { result, said } = await run([whole, part(composed), gadget], (cluster) => cluster.put(now));
  expect(result).toEqual({ kind: 'done' });
  expect(said).toContainEqual(
    expect.objectContaining({ kind: 'stays', ...(otherOwner ? { otherOwner } : {}) }),
  );
});

test('a part is waited for while its other owner is gone or goes, too', async () => {
  const { result, said } = await run([whole, part(composed)], (cluster) =>
    cluster.put(part(composed, shared)),
  );
  expect(result).toMatchObject({ kind: 'timed-out', remaining: [{ why: 'is not being deleted yet' }] });
  expect(said.filter(({ kind }) => kind === 'stays')).toEqual([]);
});

test('what another owns is not in the plan, and does not hold up its end', async () => {
  const { result, said } = await run([whole, part(composed, shared), gadget], () => undefined);
  expect(result).toEqual({ kind: 'done' });
  expect(said.filter(({ kind }) => kind === 'stays' || kind === 'waiting')).toEqual([]);
});

test('a part that comes after the plan was made ends it before anything is deleted', async () => {
  const late = { ...part(composed), metadata: { ...part(composed).metadata, uid: 'late' } };
  const { result, said } = await run(
    [whole],
    () => undefined,
    (cluster) => cluster.put(late),
  );
  expect(result).toMatchObject({ kind: 'obstructed', fresh: [{ metadata: { name: 'part' } }] });
  expect(said).toEqual([]);
});

test('no level is begun after the time is up', async () => {
  const { result, said } = await run(
    [whole],
    () => undefined,
    () => undefined,
    0,
  );
  expect(result).toEqual({ kind: 'timed-out', remaining: [] });
  expect(said).toEqual([]);
});

test('what was to be left to its driver is left to it, whatever a later look says', async () => {
  const cluster = new FakeCluster(() => 0, [part()]);
  const object = cluster.at(refOf(part())) as KubeObject;
  const planned = (action: Step['action']): Plan => ({
    subjects: [object],
    levels: [[{ object, action }]],
    owned: [],
    left: [],
    obstacles: [],
    gaps: [],
    notes: [],
  });
  const reader = { get: () => Promise.resolve(undefined), list: cluster.list };
  const looks = [planned('delete'), { ...planned('delete'), levels: [] }];
  const ports = {
    reader,
    writer: cluster.writer,
    clock: new FakeClock(),
    look: () => Promise.resolve(looks.shift() as Plan),
    report: () => undefined,
  };
  const orders = { cascade: 'Background', wait: true, deadlineMs: Infinity } as const;
  expect(await carryOut(planned('await'), orders, ports, signal)).toEqual({ kind: 'done' });
  expect(cluster.deletions).toEqual([]);
});

test('with volumes asked for, an image that none of them names is in the way from the start', async () => {
  const attributes = { clusterID: 'rook-ceph', pool: 'p', imageName: 'csi-vol-1' };
  const spec = { persistentVolumeReclaimPolicy: 'Delete' };
  const pool = aPool('p');
  const cluster = new FakeCluster(() => 0, [pool, aCluster(), aVolume('v', { attributes, spec })]);
  const reader = {
    types: () => Promise.resolve(cluster.types),
    get: () => Promise.resolve(undefined),
    list: cluster.list,
  };
  const items = [
    { kind: 'RBDImage', name: 'csi-vol-1' },
    { kind: 'RBDImage', name: 'by-hand' },
    { kind: 'RBDTrash', name: 'old' },
  ];
  const ceph = {
    contentsOf: ({ kind }: KubeObject) =>
      Promise.resolve({ items: kind === 'CephBlockPool' ? items : [], gaps: [] }),
  };
  const found = await surveyTeardown([pool], { includeData: true }, { reader, ceph }, signal);
  expect(found.levels).toHaveLength(2);
  expect(found.obstacles.map(({ object }) => object.name)).toEqual(['by-hand']);
  expect(found.notes).toEqual([
    'RBDTrash old lies in the trash of CephBlockPool/p, and must be gone by then',
  ]);
});

test.for([
  { name: 'the subject', subject: anObject(Kinds.CephBlockPool, 'p') },
  {
    name: 'what goes with it',
    subject: anObject(Kinds.StorageComposite, 'whole', {
      uid: 'uid-of-whole',
      status: {
        resources: [
          { apiVersion: 'ceph.rook.io/v1', kind: 'CephBlockPool', namespace: 'rook-ceph', name: 'p' },
        ],
      },
    }),
  },
])('what Ceph holds of $name is in the way, by its own code', async ({ subject }) => {
  const pool = anObject(Kinds.CephBlockPool, 'p', { ownerReferences: [composed] });
  const cluster = new FakeCluster(() => 0, [pool, subject]);
  const reader = {
    types: () => Promise.resolve(cluster.types),
    get: (_kind: object, _namespace: string | undefined, name: string) =>
      Promise.resolve(name === 'p' ? pool : undefined),
    list: cluster.list,
  };
  const ceph = {
    contentsOf: ({ kind }: KubeObject) =>
      Promise.resolve({
        items: kind === 'CephBlockPool' ? [{ kind: 'RBDImage', name: 'i', detail: '1 GiB' }] : [],
        gaps: [],
      }),
  };
  const { obstacles } = await surveyTeardown([subject], { includeData: false }, { reader, ceph }, signal);
  expect(obstacles).toMatchObject([
    { kind: 'contents', code: 'RD050', message: 'is an image in CephBlockPool/p (1 GiB)' },
  ]);
});
