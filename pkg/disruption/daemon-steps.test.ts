import { expect, test } from 'vitest';
import type { KubeObject, OwnerReference } from '#pkg/object';
import { aCluster, aStore } from '#test/fixtures/objects.ts';
import { budget } from './budgets.ts';
import { daemonBudgets } from './daemon-budgets.ts';
import { daemonSteps } from './daemon-steps.ts';

const reference = { apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', name: 'c', uid: 'u' };
const OWNER = { namespace: 'rook-ceph', reference };
const MANAGERS = 'rook-ceph-mgr-pdb';
const cluster = aCluster('c', { spec: { mon: { count: 3 }, mgr: { count: 2 } } });
const services = [aStore('s', { spec: { gateway: { instances: 2 } } })];
const wanted = daemonBudgets(cluster, services, { quorum: undefined, allowed: undefined }, OWNER);

/** What is there: all that is wanted, but for one that is as told, or not there. */
function steps(name: string, one?: KubeObject): readonly string[] {
  const others = wanted.filter(({ metadata }) => metadata.name !== name);
  const budgets = one ? [...others, one] : others;
  return daemonSteps(cluster, { budgets, services }, undefined, OWNER).map(
    ({ kind, budget: { metadata } }) => `${kind} ${metadata.name}`,
  );
}

function notOurs(name: string, ownerReferences: readonly OwnerReference[]): KubeObject {
  const { metadata, ...rest } = budget(name, 'daemon', { minAvailable: 9, selector: {} }, OWNER);
  const { labels: _, ...unlabelled } = metadata;
  return { ...rest, metadata: { ...unlabelled, ownerReferences } };
}

const ours = (name: string, spec: object): KubeObject => ({
  ...budget(name, 'daemon', { selector: {} }, OWNER),
  spec,
});

test('what is there already is not written, and what is missing is', () => {
  expect(steps('none')).toEqual([]);
  expect(steps(MANAGERS)).toEqual([`apply ${MANAGERS}`]);
});

test('one of ours that says something else is mended, and one that is not wanted goes', () => {
  expect(steps(MANAGERS, ours(MANAGERS, { maxUnavailable: 7 }))).toEqual([`apply ${MANAGERS}`]);
  expect(steps('', ours('rook-ceph-rgw-gone', { minAvailable: 1 }))).toEqual(['delete rook-ceph-rgw-gone']);
});

test('W19 what Rook has left is taken over, but for that of the managers, which Rook always makes', () => {
  const store = { apiVersion: 'ceph.rook.io/v1', kind: 'CephObjectStore', name: 's', uid: 's' };
  expect(steps('rook-ceph-rgw-s', notOurs('rook-ceph-rgw-s', [store]))).toEqual(['apply rook-ceph-rgw-s']);
  expect(steps(MANAGERS, notOurs(MANAGERS, [reference]))).toEqual([]);
});

test('one of somebody else is left, whoever owns it', () => {
  const release = { apiVersion: 'helm.example/v1', kind: 'Release', name: 'r', uid: 'r' };
  for (const owners of [[], [release]]) {
    expect(steps('rook-ceph-rgw-s', notOurs('rook-ceph-rgw-s', owners))).toEqual([]);
  }
});

test('while Ceph does not tell who is in quorum, the budget of the monitors stays as it is', () => {
  const [monitors] = wanted;
  if (!monitors) throw new Error('there is none');
  const spec = { ...(monitors['spec'] as object), maxUnavailable: 0 };
  expect(steps(monitors.metadata.name, { ...monitors, spec })).toEqual([]);
});
