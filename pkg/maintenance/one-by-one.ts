import { forecastStop, type Settled } from '#pkg/ceph';
import { HOSTNAME, isReadyPod } from '#pkg/drain';
import { textAt, type KubeObject } from '#pkg/object';
import { osdIdOf, type DrainPod } from './pods.ts';
import type { Surroundings } from './situation.ts';

/** OSDs that cannot go all at once, and can run on other nodes: each goes when the one before is up there. */
export interface OneByOne {
  /** Absent while one is on its way. */
  readonly next: number | undefined;
}

/** OSDs of a node that can run on others. */
export interface Movable {
  readonly osds: readonly number[];
  /** Those with a pod on the node that is not going yet. */
  readonly here: readonly number[];
}

/** For whoever reads the plan, and whoever waits. */
export const ONE_BY_ONE =
  'the OSDs of this node cannot go all at once, and go to other nodes one by one: the next when the one before is up there and all placement groups are clean';

export const NONE_MOVABLE: Movable = { osds: [], here: [] };

/** By the Deployments of all OSDs, and the pods that go. */
export function movableOsds(deployments: readonly KubeObject[], pods: readonly KubeObject[]): Movable {
  const idOf = (object: KubeObject): readonly number[] => [osdIdOf(object)].filter((id) => id !== undefined);
  return { osds: deployments.filter(isPortable).flatMap(idOf), here: pods.flatMap(idOf) };
}

/** By its Deployment: bound neither by the label of Kubernetes nor, as Rook says on it, by another one. */
function isPortable(deployment: KubeObject): boolean {
  const place = textAt(deployment, 'spec', 'template', 'spec', 'nodeSelector', HOSTNAME);
  return place === undefined && deployment.metadata.labels?.['portable'] !== 'false';
}

/** OSDs that run on another node by now: they do not go with this one any more. */
export function osdsElsewhere(pods: readonly KubeObject[], node: string): readonly number[] {
  return pods.flatMap((pod) => {
    const place = textAt(pod, 'spec', 'nodeName');
    const isThere = place !== undefined && place !== node && pod.metadata.deletionTimestamp === undefined;
    return isThere && isReadyPod(pod) ? (osdIdOf(pod) ?? []) : [];
  });
}

/** Undefined where that is no way, or none is needed: then all of them go, or none. */
export function oneByOne(
  leaving: readonly number[],
  { osds, here }: Movable,
  { groups, osdMap: { pools } }: Settled,
  isClean: boolean,
): OneByOne | undefined {
  const movable = leaving.filter((id) => osds.includes(id));
  const bound = leaving.filter((id) => !osds.includes(id));
  const isSafe = (ids: readonly number[]): boolean => forecastStop(ids, groups, pools).isSafe;
  if (movable.length === 0 || isSafe(leaving) || !isSafe(bound)) return undefined;
  // Of one whose pod is gone Ceph may not know yet.
  if (!isClean || movable.some((id) => !here.includes(id))) return { next: undefined };
  const next = movable.find((id) => isSafe([id]));
  return next === undefined ? undefined : { next };
}

/** Whether it is the turn of a pod. */
export function isItsTurn({ object, wave }: DrainPod, { clusters }: Surroundings): boolean {
  if (wave !== 'osds') return true;
  const cluster = clusters.find((one) => one.object.metadata.namespace === object.metadata.namespace);
  if (cluster?.ceph.kind !== 'told' || !('words' in cluster.ceph.groups)) return true;
  const { turns } = cluster.ceph.groups;
  return turns === undefined || turns.next === osdIdOf(object);
}
