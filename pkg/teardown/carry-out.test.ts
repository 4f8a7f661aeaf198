import { expect, test } from 'vitest';
import { Kinds, refOf, type KubeObject, type OwnerReference } from '#pkg/object';
import { FakeClock } from '#test/fakes/fake-clock.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { anObject } from '#test/fixtures/objects.ts';
import { carryOut, type Progress, type Result } from './carry-out.ts';
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
  const orders = { cascade: 'Background', wait: true, deadlineMs: clock.now() + 3_000 } as const;
  const ports = { reader, writer: cluster.writer, clock, look, report };
  const running = carryOut(await look(), orders, ports, signal);
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
