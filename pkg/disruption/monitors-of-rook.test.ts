import { expect, test } from 'vitest';
import type { KubeObject, ObjectMeta } from '#pkg/object';
import { aCluster } from '#test/fixtures/objects.ts';
import { ownerOf } from './budgets.ts';
import { daemonSteps } from './daemon-steps.ts';

const NAME = 'rook-ceph-mon-pdb';
const cluster = aCluster('rook-ceph', { uid: 'cluster', spec: { mon: { count: 3 }, mgr: { count: 1 } } });
const MONITORS = { matchLabels: { app: 'rook-ceph-mon' } };

/** As Rook leaves it when it is told to stop with a monitor out of quorum. */
function left(selector: object, metadata: Partial<ObjectMeta> = {}): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: NAME, namespace: 'rook-ceph', uid: 'left', ...metadata },
    spec: { maxUnavailable: 0, selector },
  };
}

function steps(budget: KubeObject): readonly string[] {
  const quorum = { monitors: ['a', 'b', 'c'], inQuorum: ['a', 'b', 'c'] };
  const seen = { budgets: [budget], services: [] };
  return daemonSteps(cluster, seen, quorum, ownerOf(cluster)).map(({ kind }) => kind);
}

test('W19 that of the monitors is taken over, although nobody owns it', () => {
  expect(steps(left(MONITORS))).toEqual(['apply']);
});

test.for([
  { name: 'selects others', budget: left({ matchLabels: { app: 'web' } }) },
  { name: 'selects fewer', budget: left({ matchLabels: { ...MONITORS.matchLabels, mon: 'a' } }) },
  { name: 'bears a label', budget: left(MONITORS, { labels: { 'app.kubernetes.io/managed-by': 'Helm' } }) },
  {
    name: 'is owned by somebody else',
    budget: left(MONITORS, {
      ownerReferences: [{ apiVersion: 'example/v1', kind: 'App', name: 'a', uid: 'a' }],
    }),
  },
])('one of that name that $name is left as it is', ({ budget }) => {
  expect(steps(budget)).toEqual([]);
});
