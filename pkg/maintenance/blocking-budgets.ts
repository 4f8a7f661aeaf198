import { BUDGET, drainSettings, isBlocking } from '#pkg/drain';
import type { KubeObject } from '#pkg/object';
import type { ObserverReader } from './observe.ts';

/** The budgets that hold whole failure domains of a cluster, of whoever manages them now: what others left nobody takes back. */
export async function blockingBudgets(
  cluster: KubeObject,
  hasOperator: boolean,
  reader: ObserverReader,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { namespace, uid } = cluster.metadata;
  const isRooks = ({ metadata }: KubeObject): boolean =>
    (metadata.ownerReferences ?? []).some((owner) => owner.uid === uid);
  const isOurs = ({ metadata }: KubeObject): boolean =>
    metadata.labels?.['app.kubernetes.io/managed-by'] === 'rook-deps';
  // Who may not see them has nothing to wait for: no change rests on it.
  const { items } = await reader.list({ kind: BUDGET, detail: 'object', namespace }, signal);
  const isManaged = drainSettings(cluster).isRooks
    ? (budget: KubeObject) => hasOperator && isRooks(budget) && !isOurs(budget)
    : isOurs;
  return items
    .filter((budget) => isBlocking(budget) && isManaged(budget))
    .map(({ metadata }) => metadata.name)
    .sort();
}
