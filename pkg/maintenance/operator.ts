import { operatorHomes } from '#pkg/ceph';
import { isReadyPod } from '#pkg/drain';
import { listAt, textAt, type KubeObject } from '#pkg/object';

export const OPERATOR_SELECTOR = 'app=rook-ceph-operator';
const RESTRICTED = 'ROOK_CURRENT_NAMESPACE_ONLY';

/**
 * Whether the operator of a cluster runs. It is in the namespace of the cluster, or where the daemons say that it is; where
 * they say nothing, any serves that was not told to keep to its own namespace.
 */
export function hasOperator(
  namespace: string,
  daemons: readonly KubeObject[],
  operators: readonly KubeObject[],
): boolean {
  const told = operatorHomes(daemons);
  return operators.filter(isRunning).some((operator) => {
    const home = operator.metadata.namespace ?? '';
    return home === namespace || (told.length > 0 ? told.includes(home) : !isRestricted(operator));
  });
}

/** One that is being deleted does nothing more. */
function isRunning(pod: KubeObject): boolean {
  return pod.metadata.deletionTimestamp === undefined && isReadyPod(pod);
}

function isRestricted(operator: KubeObject): boolean {
  return listAt(operator, 'spec', 'containers')
    .flatMap((container) => listAt(container, 'env'))
    .some((one) => textAt(one, 'name') === RESTRICTED && textAt(one, 'value') === 'true');
}
