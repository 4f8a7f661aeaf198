import { expect, test } from 'vitest';
import { Kinds, type KubeObject } from '#pkg/object';
import { anObject } from '#test/fixtures/objects.ts';
import { hasOperator } from './operator.ts';

const READY = { conditions: [{ type: 'Ready', status: 'True' }] };

function operator(namespace: string, only?: string, status: object = READY): KubeObject {
  const env = only === undefined ? [] : [{ name: 'ROOK_CURRENT_NAMESPACE_ONLY', value: only }];
  const containers = [{ name: 'rook-ceph-operator', env }];
  return anObject(Kinds.Pod, 'operator', { namespace, spec: { containers }, status });
}

function daemon(operatorNamespace: string): KubeObject {
  return anObject(Kinds.Deployment, 'rook-ceph-osd-0', {
    labels: { 'rook.io/operator-namespace': operatorNamespace },
  });
}

const dying = operator('rook-ceph');

test.for<{
  name: string;
  operators: readonly KubeObject[];
  daemons?: readonly KubeObject[];
  runs: boolean;
}>([
  { name: 'one beside its cluster', operators: [operator('rook-ceph', 'true')], runs: true },
  { name: 'one that is not ready', operators: [operator('rook-ceph', 'false', {})], runs: false },
  {
    name: 'one that is being deleted',
    operators: [{ ...dying, metadata: { ...dying.metadata, deletionTimestamp: '2026-11-18T10:00:00Z' } }],
    runs: false,
  },
  { name: 'one elsewhere that serves all namespaces', operators: [operator('rook', 'false')], runs: true },
  { name: 'one elsewhere that says nothing', operators: [operator('rook')], runs: true },
  { name: 'one elsewhere that keeps to its own', operators: [operator('other', 'true')], runs: false },
  {
    name: 'one where the daemons were made from',
    operators: [operator('rook', 'false')],
    daemons: [daemon('rook')],
    runs: true,
  },
  {
    name: 'one elsewhere, of daemons that another made',
    operators: [operator('other', 'false')],
    daemons: [daemon('rook')],
    runs: false,
  },
  { name: 'none', operators: [], runs: false },
])('the operator of a cluster: $name', ({ operators, daemons = [], runs }) => {
  expect(hasOperator('rook-ceph', daemons, operators)).toBe(runs);
});
