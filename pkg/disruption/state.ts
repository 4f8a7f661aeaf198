import { STATE_KEY, STATE_NAME, type DrainState } from '#pkg/drain';
import type { KubeObject } from '#pkg/object';
import { MANAGED_BY, MANAGER, PURPOSE, type BudgetOwner } from './budgets.ts';

/** What must survive us: kept in a ConfigMap beside the cluster, written before what it tells of is done. */
export function stateObject(state: DrainState, { namespace, reference }: BudgetOwner): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: STATE_NAME,
      namespace,
      labels: { [MANAGED_BY]: MANAGER, [PURPOSE]: 'state' },
      ownerReferences: [reference],
    },
    data: { [STATE_KEY]: JSON.stringify(state) },
  };
}

export function sameState(a: DrainState, b: DrainState): boolean {
  return (
    a.type === b.type && a.draining === b.draining && JSON.stringify(a.noout) === JSON.stringify(b.noout)
  );
}
