import { listed } from '#pkg/drain';
import type { DrainPod } from './pods.ts';
import type { Situation } from './situation.ts';
import type { Obstacle, Prior } from './status.ts';
import { CORDON } from './tolerations.ts';

/** Pods that an eviction may bring to another node: for the record of how things were. */
export function toleratingPods(pods: readonly DrainPod[]): readonly string[] {
  return pods.flatMap(({ comesBack, object }) =>
    comesBack === 'perhaps' ? (object.metadata.uid ?? []) : [],
  );
}

/** Whether an eviction would only bring another one in its place: it has to, or this one is such a one. */
export function isFutile({ comesBack, object }: DrainPod, prior: Prior | undefined): boolean {
  if (comesBack !== 'perhaps') return comesBack === 'surely';
  return prior !== undefined && !prior.tolerating.includes(object.metadata.uid ?? '');
}

/** What the pods of a wave that are left are waited for. */
export function waitingFor(pods: readonly DrainPod[], { maintenance }: Situation): readonly Obstacle[] {
  const left = pods.filter(({ isGoing }) => !isGoing);
  const bare = left.filter(({ isBare }) => isBare);
  const futile = left.filter((pod) => !pod.isBare && isFutile(pod, maintenance.status.prior));
  if (left.length === 0)
    return [
      { reason: 'Terminating', message: `waiting for ${listed(pods.map(({ name }) => name))} to be gone` },
    ];
  return [
    ...(bare.length > 0 ? [bareness(bare)] : []),
    ...(futile.length > 0 ? [futility(futile, maintenance.request.node)] : []),
  ];
}

function bareness(pods: readonly DrainPod[]): Obstacle {
  const names = listed(pods.map(({ name }) => name));
  return {
    reason: 'BarePod',
    message: `nobody would make ${names} again; delete or move by hand what is not needed`,
  };
}

function futility(pods: readonly DrainPod[], node: string): Obstacle {
  const names = pods.map(({ name }) => name);
  const [verb, it] =
    pods.length === 1 ? ['tolerates the cordon and comes', 'it'] : ['tolerate the cordon and come', 'them'];
  const ofRook = pods.some(({ wave }) => wave === 'osds')
    ? ', which OSDs have from spec.placement of the CephCluster or from their device set'
    : '';
  return {
    reason: 'Tolerates',
    message: `${listed(names)} ${verb} back to ${node} when evicted; scale to 0 what makes ${it} until the maintenance is over, or remove the toleration of ${CORDON}${ofRook}`,
    pods: names,
  };
}
