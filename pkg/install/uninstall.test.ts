import { expect, test } from 'vitest';
import { keyOf, refOf, ResourceTypes, type KubeObject, type Reader, type ResourceType } from '#pkg/object';
import type { Change } from './change.ts';
import { MANAGED_BY } from './names.ts';
import { refusal, REMOVAL_ORDER, survey, unfinished } from './survey.ts';
import { uninstall } from './uninstall.ts';

const signal = new AbortController().signal;

function type(group: string, kind: string): ResourceType {
  return {
    group,
    kind,
    version: 'v1',
    plural: kind.toLowerCase(),
    singular: kind,
    shortNames: [],
    namespaced: false,
  };
}

function object(group: string, kind: string, name: string, metadata: object = {}): KubeObject {
  const apiVersion = group ? `${group}/v1` : 'v1';
  return { apiVersion, kind, metadata: { name, uid: `${kind}-${name}`, ...metadata } };
}

interface World {
  readonly reader: Reader;
  readonly ports: Parameters<typeof uninstall>[2];
  readonly log: string[];
  readonly warnings: string[];
  readonly left: Map<string, KubeObject>;
}

/** A cluster whose policy is obeyed for some more attempts after it is gone. */
function world(objects: readonly KubeObject[], policyLingers = 0): World {
  const left = new Map(objects.map((each) => [keyOf(refOf(each)) as string, each]));
  const types = new ResourceTypes([
    ...REMOVAL_ORDER.map(({ group, kind }) => type(group, kind)),
    ...['Usage', 'ClusterUsage', 'NodeMaintenance'].map((kind) => type('rook-deps.io', kind)),
    type('ceph.rook.io', 'CephCluster'),
  ]);
  const reader: Reader = {
    types: () => Promise.resolve(types),
    get: (kind, _namespace, name) => Promise.resolve(left.get(keyOf({ ...kind, name }))),
    list: ({ kind, labelSelector = '' }) => {
      const [label = '', value] = labelSelector.split('=');
      const items = [...left.values()].filter(
        (each) =>
          each.kind === kind.kind &&
          (label === '' ||
            (value ? each.metadata.labels?.[label] === value : label in (each.metadata.labels ?? {}))),
      );
      return Promise.resolve({ items, gaps: [] });
    },
  };
  const log: string[] = [];
  const warnings: string[] = [];
  let refusals = policyLingers;
  const ports: World['ports'] = {
    reader,
    writer: {
      patch: (target, change) => {
        if (refusals-- > 0)
          return Promise.reject(Object.assign(new Error('ValidatingAdmissionPolicy …'), { status: 403 }));
        log.push(`patch ${target.kind}/${target.name} ${JSON.stringify(change.body)}`);
        return Promise.resolve(undefined);
      },
      delete: (target) => {
        log.push(`delete ${target.kind}/${target.name}`);
        left.delete(keyOf(target));
        return Promise.resolve('deleted');
      },
    },
    clock: { now: () => 0, sleep: () => Promise.resolve() },
    report: (_change: Change) => undefined,
    say: () => undefined,
    warn: (text) => void warnings.push(text),
  };
  return { reader, ports, log, warnings, left };
}

const labels = MANAGED_BY;
const INSTALLED = REMOVAL_ORDER.map(({ group, kind }) =>
  object(group, kind, kind === 'Deployment' ? 'rook-deps-controller' : 'ours', { labels }),
);
const REQUEST = { dryRun: false, timeoutMs: 1000 };

test('who refuses goes first, then who writes, then the traces, then the definitions, and the namespace last', async () => {
  const marked = object('ceph.rook.io', 'CephCluster', 'c', {
    labels: { 'rook-deps.io/in-use': 'true' },
    finalizers: ['others.io/a', 'rook-deps.io/dependents'],
    resourceVersion: '7',
  });
  const { reader, ports, log } = world([...INSTALLED.toReversed(), marked]);
  expect(await uninstall(await survey(reader, signal), REQUEST, ports, signal)).toBe(true);
  expect(log.slice(0, 7)).toEqual([
    'delete ValidatingWebhookConfiguration/ours',
    'delete ValidatingAdmissionPolicyBinding/ours',
    'delete ValidatingAdmissionPolicy/ours',
    'delete Deployment/rook-deps-controller',
    'patch CephCluster/c {"metadata":{"uid":"CephCluster-c","resourceVersion":"7","finalizers":["others.io/a"]}}',
    'patch CephCluster/c {"metadata":{"labels":{"rook-deps.io/in-use":null,"rook-deps.io/critical":null,"rook-deps.io/composite":null}}}',
    'delete CustomResourceDefinition/ours',
  ]);
  expect(log.at(-1)).toBe('delete Namespace/ours');
});

test('what lets people make protections goes before the webhook that checks them', async () => {
  const edit = object('rbac.authorization.k8s.io', 'ClusterRole', 'edit', {
    labels: { ...labels, 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' },
  });
  const { reader, ports, log } = world([...INSTALLED, edit]);
  await uninstall(await survey(reader, signal), REQUEST, ports, signal);
  expect(log.slice(0, 2)).toEqual(['delete ClusterRole/edit', 'delete ValidatingWebhookConfiguration/ours']);
  expect(log.filter((line) => line === 'delete ClusterRole/edit')).toHaveLength(1);
});

test('what others have made is left, a namespace of theirs included', async () => {
  const theirs = [object('', 'Namespace', 'theirs'), object('', 'ConfigMap', 'theirs')];
  const { reader, ports, left } = world([...theirs, object('', 'ConfigMap', 'ours', { labels })]);
  await uninstall(await survey(reader, signal), REQUEST, ports, signal);
  expect([...left.values()]).toEqual(theirs);
});

test('a policy that is obeyed a little longer is waited for', async () => {
  const marked = object('', 'ConfigMap', 'm', { labels: { 'rook-deps.io/critical': 'true' } });
  const { reader, ports, warnings } = world([marked], 3);
  expect(await uninstall(await survey(reader, signal), REQUEST, ports, signal)).toBe(true);
  expect(warnings).toEqual([]);
});

test('a label that cannot be taken off is told, and everything else goes', async () => {
  const marked = object('', 'ConfigMap', 'm', { labels: { 'rook-deps.io/in-use': 'true' } });
  const { reader, ports, log, warnings } = world([...INSTALLED, marked], 1000);
  expect(await uninstall(await survey(reader, signal), REQUEST, ports, signal)).toBe(false);
  expect(warnings).toEqual(['ValidatingAdmissionPolicy …']);
  expect(log.at(-1)).toBe('delete Namespace/ours');
});

test('a dry run takes nothing off', async () => {
  const marked = object('', 'ConfigMap', 'm', { labels: { 'rook-deps.io/in-use': 'true' } });
  const { reader, ports, log } = world([marked]);
  await uninstall(await survey(reader, signal), { ...REQUEST, dryRun: true }, ports, signal);
  expect(log).toEqual([]);
});

test('protections are a reason to refuse, all named', async () => {
  const usages = [
    object('rook-deps.io', 'Usage', 'u', { namespace: 'n' }),
    object('rook-deps.io', 'ClusterUsage', 'c'),
  ];
  const found = await survey(world(usages).reader, signal);
  expect(refusal(found)?.message.split('\n').slice(1)).toEqual([
    '  clusterusage.rook-deps.io/c',
    '  usage.rook-deps.io/u in namespace n',
  ]);
  expect(refusal(await survey(world([]).reader, signal))).toBeUndefined();
});

test('a node in maintenance has to be brought back first', async () => {
  const found = await survey(world([object('rook-deps.io', 'NodeMaintenance', 'node-a')]).reader, signal);
  expect(unfinished(found)?.message).toContain('kubectl rook-deps maintenance stop node-a --wait');
  expect(unfinished(await survey(world([]).reader, signal))).toBeUndefined();
});

test.for([
  { phase: 'setting', isRefused: true },
  { phase: 'set', isRefused: true },
  { phase: 'expired', isRefused: false },
])('noout that is $phase refuses the removal: $isRefused', async ({ phase, isRefused }) => {
  const labels = { 'rook-deps.io/budget': 'state' };
  const note = object('', 'ConfigMap', 'rook-deps-disruption', { namespace: 'rook-ceph', labels });
  const state = { noout: [{ domain: 'zone-x', since: 1, phase }] };
  const found = await survey(
    world([{ ...note, data: { 'state.json': JSON.stringify(state) } }]).reader,
    signal,
  );
  const way =
    'ceph osd unset-group noout zone-x && kubectl delete configmap rook-deps-disruption -n rook-ceph';
  expect(unfinished(found)?.message.includes(way)).toBe(isRefused ? true : undefined);
});
