import { isTrueAt, Kinds, textAt, type Gap, type KubeObject, type ListRequest } from '#pkg/object';
import type { DrainReport, MaintenanceNote } from '#pkg/verdict';
import { inNamespace, lookAtCluster, type LookObjects, type LookPorts } from './cluster-look.ts';
import { OSD_SELECTOR } from './kinds.ts';
import { concerns, drainReport } from './node-report.ts';
import { osdFacts } from './osd-facts.ts';

/** The kinds that an answer rests on. */
export const DRAIN_KINDS = [
  Kinds.Pod,
  Kinds.Node,
  Kinds.PodDisruptionBudget,
  Kinds.CephCluster,
  Kinds.Deployment,
] as const;

/** Looks at all that matters for draining these nodes, once, and reports on each of them. */
export async function inquireDrains(
  nodes: readonly KubeObject[],
  ports: LookPorts,
  signal: AbortSignal,
): Promise<readonly DrainReport[]> {
  const gaps: Gap[] = [];
  const list = async (request: ListRequest): Promise<readonly KubeObject[]> => {
    const listing = await ports.reader.list(request, signal);
    gaps.push(...listing.gaps);
    return listing.items;
  };
  const [pods, all, budgets, clusters, deployments, maintenances] = await Promise.all([
    list({ kind: Kinds.Pod, detail: 'object' }),
    list({ kind: Kinds.Node, detail: 'object' }),
    list({ kind: Kinds.PodDisruptionBudget, detail: 'object' }),
    list({ kind: Kinds.CephCluster, detail: 'object' }),
    list({ kind: Kinds.Deployment, detail: 'object', labelSelector: OSD_SELECTOR }),
    maintenancesOr(gaps, ports, signal),
  ]);
  const objects: LookObjects = { pods, nodes: all, budgets, deployments };
  const concerned = clusters.filter((cluster) => isConcerned(cluster, nodes, objects));
  const looks = await Promise.all(concerned.map((cluster) => lookAtCluster(cluster, objects, ports, signal)));
  const now = ports.clock.now();
  return nodes.map((node) => drainReport(node, objects, looks, { gaps, maintenances, now }));
}

async function maintenancesOr(
  gaps: Gap[],
  ports: LookPorts,
  signal: AbortSignal,
): Promise<readonly MaintenanceNote[]> {
  try {
    return await ports.maintenances(signal);
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    gaps.push({ what: 'which nodes are in maintenance', reason });
    return [];
  }
}

/** Before Ceph is asked: whether Kubernetes shows anything of the cluster on one of the nodes. */
function isConcerned(cluster: KubeObject, nodes: readonly KubeObject[], objects: LookObjects): boolean {
  if (isTrueAt(cluster, 'spec', 'external', 'enable')) return false;
  const own = inNamespace(objects, cluster.metadata.namespace ?? '');
  const osds = osdFacts('', { ...own, lastNodes: new Map() });
  const picture = { type: '', osds, draining: undefined, groups: undefined };
  return nodes.some((node) => {
    const pods = own.pods.filter((pod) => textAt(pod, 'spec', 'nodeName') === node.metadata.name);
    return concerns({ cluster, picture }, node, pods);
  });
}
