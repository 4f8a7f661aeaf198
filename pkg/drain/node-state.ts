import { fieldAt, isTrueAt, listAt, textAt, type KubeObject } from '#pkg/object';

const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/** Why a node counts as drained, or nothing while it does not. A node that is merely NotReady is broken, not drained. */
export type DrainReason = 'cordoned' | 'out of service' | 'deleted';

export function drainReason(node: KubeObject | undefined): DrainReason | undefined {
  if (!node) return 'deleted';
  if (isTrueAt(node, 'spec', 'unschedulable')) return 'cordoned';
  const taints = listAt(node, 'spec', 'taints').map((taint) => textAt(taint, 'key'));
  return taints.includes(OUT_OF_SERVICE) ? 'out of service' : undefined;
}

/** All that matters of a node: whoever watches is told of nothing else. */
export function nodeState(node: KubeObject): string {
  const ready = listAt(node, 'status', 'conditions').find(
    (condition) => textAt(condition, 'type') === 'Ready',
  );
  return `${drainReason(node) ?? ''}/${String(fieldAt(ready, 'status'))}`;
}
