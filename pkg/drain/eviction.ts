import { fieldAt, listAt, numberAt, structuredSelector, textAt, type KubeObject } from '#pkg/object';

/** What the API server would answer to the eviction of a pod at this moment. */
export type Eviction =
  /** No budget counts it. */
  | { readonly kind: 'free' }
  | { readonly kind: 'allowed'; readonly budget: KubeObject }
  /** 429: asking again later may help. */
  | { readonly kind: 'refused'; readonly budget: KubeObject; readonly needs: number; readonly has: number }
  /** 429: the budget has just been made or changed, and its pods are not counted yet. */
  | { readonly kind: 'uncounted'; readonly budget: KubeObject }
  /** 500: the server takes one budget for a pod, and no more. `kubectl drain` gives up at once. */
  | { readonly kind: 'broken'; readonly budgets: readonly KubeObject[] };

/** The budgets of its namespace that select a pod. */
export function budgetsOver(pod: KubeObject, budgets: readonly KubeObject[]): readonly KubeObject[] {
  return budgets.filter(
    (budget) =>
      budget.metadata.namespace === pod.metadata.namespace &&
      structuredSelector(fieldAt(budget, 'spec', 'selector'))(pod.metadata.labels),
  );
}

/** By the rules of the API server. The counts in a budget may be some 50 ms old, and so may be the answer. */
export function evictionOf(pod: KubeObject, budgets: readonly KubeObject[]): Eviction {
  if (isOver(pod)) return { kind: 'free' };
  const over = budgetsOver(pod, budgets);
  const [budget, ...others] = over;
  if (!budget) return { kind: 'free' };
  if (others.length > 0) return { kind: 'broken', budgets: over };
  if (isSpared(pod, budget)) return { kind: 'allowed', budget };
  const allowed = numberAt(budget, 'status', 'disruptionsAllowed');
  if (allowed === undefined || isChanged(budget)) return { kind: 'uncounted', budget };
  return allowed > 0 ? { kind: 'allowed', budget } : { kind: 'refused', budget, ...healthy(budget) };
}

/** Budgets do not protect what does not run: it has ended, is ending, or never began. */
function isOver(pod: KubeObject): boolean {
  const phase = textAt(pod, 'status', 'phase') ?? '';
  return pod.metadata.deletionTimestamp !== undefined || ['Succeeded', 'Failed', 'Pending'].includes(phase);
}

/** A pod that is not ready may go if the budget says so, or if the others are enough without it. */
function isSpared(pod: KubeObject, budget: KubeObject): boolean {
  if (isReadyPod(pod)) return false;
  if (textAt(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const { needs, has } = healthy(budget);
  return needs > 0 && has >= needs;
}

function isChanged(budget: KubeObject): boolean {
  const counted = numberAt(budget, 'status', 'observedGeneration') ?? 0;
  return counted < (budget.metadata.generation ?? 0);
}

function healthy(budget: KubeObject): { readonly needs: number; readonly has: number } {
  return {
    needs: numberAt(budget, 'status', 'desiredHealthy') ?? 0,
    has: numberAt(budget, 'status', 'currentHealthy') ?? 0,
  };
}

export function isReadyPod(pod: KubeObject): boolean {
  return listAt(pod, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'True',
  );
}
