import { expect, test } from 'vitest';
import type { KubeObject } from '#pkg/object';
import { MANAGED_BY } from './names.ts';
import { planInstall } from './plan.ts';

function object(
  kind: string,
  name: string,
  rest: object = {},
  labels: Record<string, string> = MANAGED_BY,
): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name, labels }, ...rest };
}

const namesOf = (objects: readonly KubeObject[]): readonly string[] =>
  objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);

test('everything is applied, the webhook configuration apart from the rest', () => {
  const wanted = [
    object('Namespace', 'n'),
    object('Deployment', 'd'),
    object('ValidatingWebhookConfiguration', 'w'),
  ];
  const plan = planInstall([], wanted);
  expect(namesOf(plan.steps.map((step) => step.object))).toEqual(['Namespace/n', 'Deployment/d']);
  expect(namesOf(plan.webhooks(undefined).map((step) => step.object))).toEqual([
    'ValidatingWebhookConfiguration/w',
  ]);
  expect(plan.outdated).toEqual([]);
});

test('what lets people make protections comes after the webhook that checks them', () => {
  const labels = { ...MANAGED_BY, 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' };
  const wanted = [
    object('ClusterRole', 'edit', {}, labels),
    object('ClusterRole', 'view'),
    object('ValidatingWebhookConfiguration', 'w'),
  ];
  const plan = planInstall([], wanted);
  expect(namesOf(plan.steps.map((step) => step.object))).toEqual(['ClusterRole/view']);
  expect(namesOf(plan.admitting.map((step) => step.object))).toEqual(['ClusterRole/edit']);
});

test('a namespace of somebody else is left alone, one of ours is applied', () => {
  const wanted = [object('Namespace', 'n')];
  expect(planInstall([object('Namespace', 'n', {}, {})], wanted).steps).toEqual([]);
  expect(planInstall([object('Namespace', 'n')], wanted).steps).toHaveLength(1);
});

test('a right to ask Ceph that somebody else has given is left alone, one of ours is applied, or goes', () => {
  const wanted = [object('RoleBinding', 'rook-deps-ceph')];
  expect(planInstall([object('RoleBinding', 'rook-deps-ceph', {}, {})], wanted).steps).toEqual([]);
  expect(planInstall(wanted, wanted).steps).toHaveLength(1);
  expect(planInstall(wanted, []).outdated).toEqual(wanted);
  expect(planInstall([object('RoleBinding', 'rook-deps-ceph', {}, {})], []).outdated).toEqual([]);
});

test('a bundle that is there is not sent again', () => {
  const bundle = object('ConfigMap', 'bundle-1', { immutable: true });
  expect(planInstall([object('ConfigMap', 'bundle-1')], [bundle]).steps).toEqual([]);
});

test('what only an older version wanted goes, but neither grants nor what holds the work of others', () => {
  const current = [
    object('ConfigMap', 'bundle-0'),
    object('ConfigMap', 'bundle-1'),
    object('ConfigMap', 'of-others', {}, {}),
    object('ClusterRole', 'grant', {}, { ...MANAGED_BY, 'rook-deps.io/aggregate-to-controller': 'true' }),
    object('CustomResourceDefinition', 'old.rook-deps.io'),
    object('Namespace', 'old'),
  ];
  expect(namesOf(planInstall(current, [object('ConfigMap', 'bundle-1')]).outdated)).toEqual([
    'ConfigMap/bundle-0',
  ]);
});
