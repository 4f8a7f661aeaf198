import { isReadyPod } from '#pkg/drain';
import { listAt, textAt, type KubeObject } from '#pkg/object';

export const OPERATOR_SELECTOR = 'app=rook-ceph-operator';
/** Is on the daemons that Rook has made: the namespace of the operator that did. Old ones have none. */
const MADE_FROM = 'rook.io/operator-namespace';
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
  const told = new Set(daemons.flatMap(({ metadata }) => metadata.labels?.[MADE_FROM] ?? []));
  return operators.filter(isRunning).some((operator) => {
    const home = operator.metadata.namespace ?? '';
    return home === namespace || (told.size > 0 ? told.has(home) : !isRestricted(operator));
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
