import { listAt, textAt, type Gap, type KubeObject } from '#pkg/object';
import {
  API_VERSION,
  nameOf,
  type DrainCause,
  type DrainReport,
  type DrainVerdict,
  type MaintenanceNote,
} from '#pkg/verdict';
import type { ClusterLook, LookObjects } from './cluster-look.ts';
import { clusterDrain, dataCauses, dataGaps, osdsOn } from './cluster-drain.ts';
import { drainSteps } from './drain-steps.ts';
import { holdsOn, isBlocking, type Hold } from './holds.ts';
import { isMonitor } from './kinds.ts';
import { maintenancesFor } from './maintenances.ts';
import { drainReason } from './node-state.ts';
import { listed } from './words.ts';

const MIRROR = 'kubernetes.io/config.mirror';

/** What else was seen, and what was not. */
export interface Beside {
  readonly gaps: readonly Gap[];
  readonly maintenances: readonly MaintenanceNote[];
  readonly now: number;
}

/** Whether a node can be drained, and what a drain would meet. */
export function drainReport(
  node: KubeObject,
  objects: LookObjects,
  looks: readonly ClusterLook[],
  { gaps: unseen, maintenances, now }: Beside,
): DrainReport {
  const pods = evictable(node, objects.pods);
  const concerned = looks.filter((look) => concerns(look, node, pods));
  const holds = holdsOf(pods, objects, concerned);
  const clusters = concerned.map((look) => clusterDrain(look, node, objects, now));
  const causes = [
    ...holds.filter(({ kind }) => kind !== 'uncounted').map(causeOf),
    ...concerned.flatMap((look) => dataCauses(look, node, pods)),
  ];
  const gaps = [
    ...unseen,
    ...concerned.flatMap((look) => [...look.gaps, ...dataGaps(look, node)]),
    ...holds.flatMap(uncounted),
  ];
  const verdict = verdictOf(causes, gaps);
  const maintained = maintenancesFor(node, objects.nodes, concerned, maintenances);
  const reason = drainReason(node);
  return {
    apiVersion: API_VERSION,
    kind: 'DrainReport',
    subject: nameOf(node),
    verdict,
    ...(reason === 'cordoned' || reason === 'out of service' ? { drained: reason } : {}),
    ...maintained,
    causes,
    clusters,
    gaps,
    notes: notesOn(node, pods),
    next: drainSteps({ node, verdict, causes, gaps, clusters, looks: concerned, pods, ...maintained }),
  };
}

function verdictOf(causes: readonly DrainCause[], gaps: readonly Gap[]): DrainVerdict {
  if (causes.length > 0) return 'Blocked';
  return gaps.length > 0 ? 'Unknown' : 'Drainable';
}

/** The pods of a node that a drain evicts: neither those of DaemonSets nor those that the node itself makes. */
function evictable({ metadata: { name } }: KubeObject, pods: readonly KubeObject[]): readonly KubeObject[] {
  return pods.filter(
    (pod) =>
      textAt(pod, 'spec', 'nodeName') === name &&
      controllerOf(pod) !== 'DaemonSet' &&
      pod.metadata.annotations?.[MIRROR] === undefined,
  );
}

function controllerOf({ metadata }: KubeObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller)?.kind;
}

/** A cluster is concerned if it has an OSD or a monitor there; other daemons are not asked Ceph about. */
export function concerns(
  { cluster, picture }: Pick<ClusterLook, 'cluster' | 'picture'>,
  node: KubeObject,
  pods: readonly KubeObject[],
): boolean {
  const { namespace } = cluster.metadata;
  const isOwn = (pod: KubeObject): boolean => pod.metadata.namespace === namespace && isMonitor(pod);
  return osdsOn(node, picture.osds).length > 0 || pods.some(isOwn);
}

function holdsOf(
  pods: readonly KubeObject[],
  { budgets }: LookObjects,
  looks: readonly ClusterLook[],
): readonly Hold[] {
  const byNamespace = Map.groupBy(pods, ({ metadata }) => metadata.namespace ?? '');
  return [...byNamespace].flatMap(([namespace, own]) => {
    const look = looks.find(({ cluster }) => cluster.metadata.namespace === namespace);
    return holdsOn(own, budgets, look?.picture);
  });
}

function causeOf({ kind, budgets, pods, domain, message }: Hold): DrainCause {
  const [budget] = budgets;
  if (!budget) throw new Error('a hold without a budget');
  const refusal = isBlocking(budget) ? 'RD070' : 'RD071';
  return {
    code: kind === 'broken' ? 'RD072' : refusal,
    message,
    object: nameOf(budget),
    pods: pods.map(nameOf),
    ...(domain ? { domain } : {}),
  };
}

function uncounted({ kind, budgets, message }: Hold): readonly Gap[] {
  if (kind !== 'uncounted') return [];
  const names = budgets.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`);
  return [{ what: `PodDisruptionBudget ${names.join(', ')}`, reason: message }];
}

function notesOn(node: KubeObject, pods: readonly KubeObject[]): readonly string[] {
  const bare = pods.filter((pod) => controllerOf(pod) === undefined);
  const names = bare.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`);
  const ready = listAt(node, 'status', 'conditions').find((one) => textAt(one, 'type') === 'Ready');
  const isBroken = ready !== undefined && textAt(ready, 'status') !== 'True';
  return [
    ...(isBroken
      ? ['the node is NotReady: pods that are evicted stay until it is back or out of service']
      : []),
    ...(bare.length > 0
      ? [`nobody makes ${listed(names)} again: kubectl drain wants --force, and then they are gone`]
      : []),
  ];
}
