import {
  drainSettings,
  HOSTNAME,
  OSD_SELECTOR,
  osdFacts,
  parseRookState,
  parseState,
  requestedDomain,
  ROOK_STATE_NAME,
  STATE_NAME,
  type OsdFacts,
} from '#pkg/drain';
import { Kinds, type KubeObject } from '#pkg/object';
import { blockingBudgets } from './blocking-budgets.ts';
import { askCeph } from './ceph-answer.ts';
import type { InquiryPorts } from './inquiry.ts';
import { listAll, type ObserverReader } from './observe.ts';
import { movableOsds, NONE_MOVABLE, osdsElsewhere } from './one-by-one.ts';
import { hasOperator } from './operator.ts';
import { monitorName, osdIdOf } from './pods.ts';
import { loneServices, metadataServerName, SERVICE_APPS } from './services.ts';
import type { ClusterFacts, Situation } from './situation.ts';

const REPLACING = 'osd.rook.io/replace-in-progress';
const OSD = 'rook-ceph-osd';
const DAEMON_SELECTOR = `app in (${[OSD, ...SERVICE_APPS].join(',')})`;
const POOLS = [Kinds.CephBlockPool, Kinds.CephFilesystem, Kinds.CephObjectStore, Kinds.CephObjectZone];

/** What is read once for all clusters. */
export interface Neighbourhood {
  readonly nodes: readonly KubeObject[];
  /** The pods of all operators. */
  readonly operators: readonly KubeObject[];
}

/** Undefined for a cluster that has nothing on the node and nothing to do with the maintenance. */
export async function clusterFacts(
  cluster: KubeObject,
  { maintenance, pods, node }: Situation,
  { nodes, operators }: Neighbourhood,
  ports: InquiryPorts,
  signal: AbortSignal,
): Promise<ClusterFacts | undefined> {
  const { namespace = '', name } = cluster.metadata;
  const { request, status, isStopping } = maintenance;
  const id = `${namespace}/${name}`;
  const recorded = status.clusters.find((known) => known.cluster === id)?.osds ?? [];
  const { deployments, daemons, ours, rooks, services } = await objectsOf(namespace, ports.reader, signal);
  const osdPods = daemons.filter(({ metadata }) => metadata.labels?.['app'] === OSD);
  const sources = { deployments, pods: osdPods.filter((pod) => osdIdOf(pod) !== undefined), nodes };
  const names = [request.node, node?.object.metadata.labels?.[HOSTNAME]];
  const here = pods.filter(({ object }) => object.metadata.namespace === namespace);
  const hasDaemon = here.some(({ wave }) => wave !== 'consumers' && wave !== 'others');
  const known = osdFacts('', { ...sources, lastNodes: new Map() });
  const isNear = ownOsds(known, names).length > 0 || known.some((osd) => osd.node === undefined);
  if (!isNear && !hasDaemon && recorded.length === 0) return undefined;
  // With the pods stay their services.
  const going = request.noDrain ? [] : here.filter(({ isGoing }) => !isGoing).map(({ object }) => object);
  const elsewhere = osdsElsewhere(sources.pods, request.node);
  const leaving = {
    nodes: names,
    recorded: recorded.filter((osd) => !elsewhere.includes(osd)),
    movable: request.noDrain ? NONE_MOVABLE : movableOsds(deployments, going),
    metadataServers: going.flatMap(metadataServerName),
  };
  const view = await askCeph(ports.cephOf(cluster), cluster, sources, leaving, ports.clock, signal);
  const type = view.type ?? parseState(ours).type ?? requestedDomain(services);
  const osds = view.osds ?? osdFacts(type, { ...sources, lastNodes: new Map() });
  const own = ownOsds(osds, names);
  if (own.length === 0 && recorded.length === 0 && !hasDaemon) return undefined;
  const isOperated = hasOperator(namespace, [...deployments, ...daemons], operators);
  const drains = [
    { domain: parseState(ours).draining, by: 'rook-deps' },
    // Where Rook keeps no budgets, its account is of the past.
    { domain: drainSettings(cluster).isRooks ? parseRookState(rooks).draining : undefined, by: 'Rook' },
  ];
  return {
    id,
    object: cluster,
    type,
    osds,
    // Those that came after it began go with the others.
    own: [...new Set([...recorded, ...own])].toSorted((a, b) => a - b),
    elsewhere,
    monitors: here.flatMap(({ object }) => monitorName(object) ?? []),
    lone: loneServices(going, daemons, request.node),
    replacing: deployments.flatMap((one) =>
      one.metadata.annotations?.[REPLACING] === 'true' ? (osdIdOf(one) ?? []) : [],
    ),
    hasOperator: isOperated,
    draining: drains.flatMap(({ domain, by }) => (domain ? [{ domain, by }] : [])),
    blocking: isStopping ? await blockingBudgets(cluster, isOperated, ports.reader, signal) : [],
    ceph: view.answer,
  };
}

interface ClusterObjects {
  /** Of OSDs. */
  readonly deployments: readonly KubeObject[];
  /** Pods of OSDs and services. */
  readonly daemons: readonly KubeObject[];
  /** The accounts of drains: of the controller, and Rook's. */
  readonly ours: KubeObject | undefined;
  readonly rooks: KubeObject | undefined;
  readonly services: readonly KubeObject[];
}

async function objectsOf(
  namespace: string,
  reader: ObserverReader,
  signal: AbortSignal,
): Promise<ClusterObjects> {
  const [deployments, daemons, ours, rooks, ...services] = await Promise.all([
    listAll(reader, Kinds.Deployment, { namespace, labelSelector: OSD_SELECTOR }, signal),
    listAll(reader, Kinds.Pod, { namespace, labelSelector: DAEMON_SELECTOR }, signal),
    reader.get(Kinds.ConfigMap, namespace, STATE_NAME, signal),
    reader.get(Kinds.ConfigMap, namespace, ROOK_STATE_NAME, signal),
    ...POOLS.map((kind) => listAll(reader, kind, { namespace }, signal)),
  ]);
  return { deployments, daemons, ours, rooks, services: services.flat() };
}

/** By name of the node, or by what its OSDs are bound to. */
export function ownOsds(
  osds: readonly OsdFacts[],
  names: readonly (string | undefined)[],
): readonly number[] {
  return osds.filter(({ node }) => node !== undefined && names.includes(node)).map(({ id }) => id);
}
