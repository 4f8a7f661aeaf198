import { type DrainPod, type Wave } from './pods.ts';
import type { NodeFacts, Situation } from './situation.ts';
import type { ChangeState, NooutChange, Obstacle, Phase, Status } from './status.ts';

/** What to do next. Each step can be taken again after a crash, wherever that was. */
export type Step =
  /** More has to be known first. */
  | { readonly kind: 'inquire' }
  /** Write this down, and nothing else. `again`: there is more to do at once. */
  | { readonly kind: 'tell'; readonly status: Status; readonly next: 'at-once' | 'soon' | 'later' }
  | {
      readonly kind: 'cordon' | 'uncordon';
      readonly node: NodeFacts | undefined;
      readonly state: ChangeState;
    }
  | {
      readonly kind: 'noout';
      readonly flag: 'set' | 'unset';
      readonly change: NooutChange;
      readonly osds: readonly number[];
    }
  | { readonly kind: 'evict'; readonly wave: Wave; readonly pods: readonly DrainPod[] }
  | { readonly kind: 'end' };

type Tell = Extract<Step, { kind: 'tell' }>;

const MAX_NAMED = 20;

/** A status that waits for something. */
export function held(
  { maintenance: { status }, pods }: Situation,
  phase: Phase,
  obstacles: readonly Obstacle[],
  more: Partial<Status> = {},
): Tell {
  const message = obstacles.map((one) => one.message).join('; ');
  const drain = status.drain && { ...status.drain, ...pendingPods(pods) };
  return {
    kind: 'tell',
    status: { ...status, phase, message, blockedBy: obstacles, drain, ...more },
    next: 'soon',
  };
}

export function pendingPods(pods: readonly DrainPod[]): {
  readonly pending: number;
  readonly pods: readonly string[];
} {
  return { pending: pods.length, pods: pods.slice(0, MAX_NAMED).map(({ name }) => name) };
}

/** Sets noout where it is not, or takes it off where it is ours and still there. */
export function nooutStep(situation: Situation, change: NooutChange, flag: 'set' | 'unset'): Step {
  const cluster = situation.surroundings?.clusters.find(({ id }) => id === change.cluster);
  // Flags of a cluster that is gone went with it.
  if (!cluster) return { kind: 'noout', flag, change, osds: [] };
  const phase = situation.maintenance.isStopping ? 'Recovering' : situation.maintenance.status.phase;
  const { ceph } = cluster;
  if (ceph.kind === 'silent')
    return held(situation, phase, [
      { reason: 'CephSilent', message: `Ceph of ${cluster.id} does not answer: ${ceph.reason}` },
    ]);
  const flagged = new Set(
    ceph.osdMap.osds.filter(({ state }) => state.includes('noout')).map(({ id }) => id),
  );
  const known = new Set(ceph.osdMap.osds.map(({ id }) => id));
  const osds = change.osds.filter((id) => known.has(id) && flagged.has(id) === (flag === 'unset'));
  return { kind: 'noout', flag, change, osds };
}

/** What is known anew of OSDs and placement groups. */
export function downNow({ maintenance: { status }, surroundings }: Situation): Partial<Status> {
  const answers = new Map(surroundings?.clusters.map(({ id, ceph }) => [id, ceph]));
  const groups = [...answers.values()].flatMap((ceph) =>
    ceph.kind === 'told' && 'words' in ceph.groups ? [ceph.groups.words] : [],
  );
  const clusters = status.clusters.map((known) => {
    const ceph = answers.get(known.cluster);
    if (ceph?.kind !== 'told') return known;
    const up = new Set(ceph.osdMap.osds.filter(({ isUp }) => isUp).map(({ id }) => id));
    return { ...known, down: known.osds.filter((id) => !up.has(id)) };
  });
  return { clusters, ...(groups.length > 0 ? { groups: groups.join('; ') } : {}) };
}

/** Nothing is left to do for now. */
export function settledAs(
  situation: Situation,
  phase: Phase,
  message: string,
  fresh: Partial<Status> = {},
): Step {
  const step = held(situation, phase, [], fresh);
  return { ...step, status: { ...step.status, message }, next: 'later' };
}
