import { HOSTNAME } from '#pkg/drain';
import { listAt, textAt, type KubeObject } from '#pkg/object';

/** A pod that tolerates this is scheduled onto a cordoned node as onto any other. */
export const CORDON = 'node.kubernetes.io/unschedulable';

/** Whether what is made in place of a pod comes to the same node, although that is cordoned. */
export type Return = 'never' | 'perhaps' | 'surely';

export function returnOf(pod: KubeObject): Return {
  if (!listAt(pod, 'spec', 'tolerations').some(isOfCordon)) return 'never';
  return isBound(pod) ? 'surely' : 'perhaps';
}

function isOfCordon(toleration: unknown): boolean {
  const [key, effect] = [textAt(toleration, 'key') ?? '', textAt(toleration, 'effect') ?? ''];
  if (effect !== '' && effect !== 'NoSchedule') return false;
  // Without a key it is of all taints; that of a cordon has no value.
  if (textAt(toleration, 'operator') === 'Exists') return key === '' || key === CORDON;
  return key === CORDON && (textAt(toleration, 'value') ?? '') === '';
}

/** Rook may bind OSDs by another label than that of Kubernetes; it says so on them. */
function isBound(pod: KubeObject): boolean {
  const place = textAt(pod, 'spec', 'nodeSelector', HOSTNAME);
  return place !== undefined || pod.metadata.labels?.['portable'] === 'false';
}
