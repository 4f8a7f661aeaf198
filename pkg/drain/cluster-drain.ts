import { forecastStop, type StopForecast } from '#pkg/ceph';
import type { Gap, KubeObject } from '#pkg/object';
import { nameOf, type ClusterDrain, type DrainCause } from '#pkg/verdict';
import type { ClusterLook, LookObjects } from './cluster-look.ts';
import { budgetsOver } from './eviction.ts';
import { isMonitor } from './kinds.ts';
import { nooutHolds } from './noout-hold.ts';
import type { OsdFacts } from './osd-facts.ts';
import { listed } from './words.ts';

const MANAGED_BY = 'app.kubernetes.io/managed-by';

/** The OSDs that run on a node, or have to. */
export function osdsOn({ metadata }: KubeObject, osds: readonly OsdFacts[]): readonly OsdFacts[] {
  const names = [metadata.name, metadata.labels?.['kubernetes.io/hostname']];
  return osds.filter(({ node }) => node !== undefined && names.includes(node));
}

function leaving({ picture }: ClusterLook, node: KubeObject): readonly number[] {
  return osdsOn(node, picture.osds)
    .filter(({ isDown }) => !isDown)
    .map(({ id }) => id);
}

function forecastOf(look: ClusterLook, node: KubeObject): StopForecast | undefined {
  const { health } = look;
  return health && forecastStop(leaving(look, node), health.groups, health.osdMap.pools);
}

/** What one cluster has to do with the drain of a node. */
export function clusterDrain(
  look: ClusterLook,
  node: KubeObject,
  objects: LookObjects,
  now: number,
): ClusterDrain {
  const { cluster, picture, state, settings, view, health } = look;
  const forecast = forecastOf(look, node);
  const domains = [...new Set(osdsOn(node, picture.osds).map(({ domain }) => domain))];
  const holds = nooutHolds({
    type: picture.type,
    records: state.noout,
    timeoutMs: settings.timeoutMs,
    osdMap: view?.osdMap,
    now,
  });
  return {
    cluster: nameOf(cluster),
    budgetsBy: makerOf(look, objects),
    domainType: picture.type,
    domains: domains.toSorted(),
    ...(picture.draining === undefined ? {} : { draining: picture.draining }),
    down: picture.osds.filter(({ isDown }) => isDown).map(({ id }) => id),
    leaving: leaving(look, node),
    ...(health ? { placementGroups: health.words } : {}),
    ...(forecast ? { wouldStop: forecast.wouldStop.length, wouldDegrade: forecast.wouldDegrade.length } : {}),
    noout: holds.map(({ message, until }) => ({
      message,
      ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
    })),
  };
}

function makerOf(
  { cluster, settings }: ClusterLook,
  { pods, budgets }: LookObjects,
): ClusterDrain['budgetsBy'] {
  if (settings.isRooks) return 'Rook';
  const { namespace } = cluster.metadata;
  const osds = pods.filter(
    ({ metadata }) => metadata.namespace === namespace && metadata.labels?.['app'] === 'rook-ceph-osd',
  );
  const over = osds.flatMap((pod) => budgetsOver(pod, budgets));
  if (over.some(({ metadata }) => metadata.labels?.[MANAGED_BY] === 'rook-deps')) return 'rook-deps';
  return over.length > 0 ? 'others' : 'nobody';
}

/** What would become of the data without the node, whatever budgets say. */
export function dataCauses(
  look: ClusterLook,
  node: KubeObject,
  pods: readonly KubeObject[],
): readonly DrainCause[] {
  const forecast = forecastOf(look, node);
  const messages = [
    ...(forecast ? groupTrouble(forecast, leaving(look, node)) : []),
    ...quorumTrouble(look, pods),
  ];
  return messages.map((message) => ({ code: 'RD073', message, object: nameOf(look.cluster), pods: [] }));
}

function groupTrouble({ wouldStop }: StopForecast, osds: readonly number[]): readonly string[] {
  if (osds.length === 0 || wouldStop.length === 0) return [];
  const names = listed(osds.map((id) => `osd.${id}`));
  return [`${groups(wouldStop.length)} would not be served without ${names}`];
}

/** Placement groups that nobody has heard of lately may be anything. */
export function dataGaps(look: ClusterLook, node: KubeObject): readonly Gap[] {
  const unknown = forecastOf(look, node)?.unknown ?? [];
  if (unknown.length === 0 || leaving(look, node).length === 0) return [];
  const { namespace = '', name } = look.cluster.metadata;
  return [
    {
      what: `${groups(unknown.length)} of CephCluster ${namespace}/${name}`,
      reason: 'Ceph does not know their state',
    },
  ];
}

function groups(count: number): string {
  return `${count} placement group${count === 1 ? '' : 's'}`;
}

function quorumTrouble({ cluster, quorum }: ClusterLook, pods: readonly KubeObject[]): readonly string[] {
  if (!quorum) return [];
  const { namespace } = cluster.metadata;
  const going = pods
    .filter((pod) => pod.metadata.namespace === namespace && isMonitor(pod))
    .flatMap(({ metadata }) => metadata.labels?.['ceph_daemon_id'] ?? metadata.labels?.['mon'] ?? []);
  const left = quorum.inQuorum.filter((name) => !going.includes(name)).length;
  const needed = Math.floor(quorum.monitors.length / 2) + 1;
  if (going.length === 0 || left >= needed) return [];
  const names = listed(going.map((name) => `mon.${name}`));
  return [
    `the monitors would lose their quorum without ${names}: ${left} would be left, and ${needed} are needed`,
  ];
}
