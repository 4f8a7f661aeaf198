import { expect, test } from 'vitest';
import type { KubeObject } from '#pkg/object';
import { anOsd } from '#test/fixtures/osds.ts';
import { budget } from './budgets.ts';
import { foreignBudgets, type Foreign } from './foreign.ts';

const OWNER = {
  namespace: 'rook-ceph',
  reference: { apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', name: 'c', uid: 'u' },
};
const NOTHING = { osds: new Set(), names: new Set(), note: undefined };

function unmarked(name: string, matchLabels: Readonly<Record<string, string>>, owner = OWNER): KubeObject {
  const { metadata, ...rest } = budget(name, 'osd', { maxUnavailable: 1, selector: { matchLabels } }, owner);
  const { labels: _, ...unlabelled } = metadata;
  return { ...rest, metadata: unlabelled };
}

function theirs(name: string, matchLabels: Readonly<Record<string, string>>): KubeObject {
  return unmarked(name, matchLabels, { ...OWNER, reference: { ...OWNER.reference, uid: 'other' } });
}

function found(...budgets: readonly KubeObject[]): Foreign {
  return foreignBudgets({ budgets, deployments: [anOsd(1), anOsd(2)] }, OWNER);
}

test('ours and those that Rook made for this cluster are not foreign', () => {
  const all = { app: 'rook-ceph-osd' };
  const ours = budget('any', 'daemon', { maxUnavailable: 1, selector: { matchLabels: all } }, OWNER);
  expect(found(ours)).toEqual(NOTHING);
  expect(found(unmarked('rook-ceph-osd', all))).toEqual(NOTHING);
  expect(found(theirs('rook-ceph-osd', all)).osds).toEqual(new Set([1, 2]));
});

test('one over OSDs takes these and its name, and a note says so', () => {
  const { osds, names, note } = found(theirs('mine', { osd: '2' }));
  expect(osds).toEqual(new Set([2]));
  expect(names).toEqual(new Set(['mine']));
  expect(note).toContain('PodDisruptionBudget mine of somebody else selects osd.2: rook-deps makes none');
});

test('one over something else takes its name alone, and is not worth a note', () => {
  expect(found(theirs('web', { app: 'web' }))).toEqual({ ...NOTHING, names: new Set(['web']) });
});

test('one that only bears the name of ours leaves the OSDs without, and a note says so', () => {
  const { osds, note } = found(theirs('rook-ceph-osd', { app: 'web' }));
  expect(osds).toEqual(new Set());
  expect(note).toContain('cannot protect the OSDs under this name; delete it');
});

test('all that concern OSDs are noted', () => {
  const { note } = found(theirs('one', { osd: '1' }), theirs('two', { osd: '2' }), theirs('web', { a: 'b' }));
  expect(note?.split('; ').filter((part) => part.startsWith('PodDisruptionBudget'))).toHaveLength(2);
});

test('the labels of the pods count, not those of the Deployment', () => {
  const deployment = anOsd(1);
  const labels = { app: 'rook-ceph-osd', 'ceph-osd-id': '1', team: 'storage' };
  const budgets = [theirs('mine', { team: 'storage' })];
  const on = (object: KubeObject): ReadonlySet<number> =>
    foreignBudgets({ budgets, deployments: [object] }, OWNER).osds;
  expect(on({ ...deployment, metadata: { ...deployment.metadata, labels } })).toEqual(new Set());
  const spec = { template: { metadata: { labels } } };
  expect(on({ ...deployment, spec })).toEqual(new Set([1]));
});
