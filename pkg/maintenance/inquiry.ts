import type { Ceph } from '#pkg/ceph';
import type { Clock } from '#pkg/clock';
import {
  drainSettings,
  HOSTNAME,
  isReadyPod,
  NODE,
  OSD_SELECTOR,
  osdFacts,
  parseRookState,
  parseState,
  requestedDomain,
  ROOK_STATE_NAME,
  STATE_NAME,
  type OsdFacts,
} from '#pkg/drain';
import { isTrueAt, Kinds, type KubeObject } from '#pkg/object';
import { blockingBudgets } from './blocking-budgets.ts';
import { askCeph } from './ceph-answer.ts';
import type { Ledger } from './ledger.ts';
import type { Maintenance } from './maintenance.ts';
import { listAll, type ObserverReader } from './observe.ts';
import { isPortable, NONE_MOVABLE, osdsElsewhere } from './one-by-one.ts';
import { foreignHolders, foreignMaintenances } from './others.ts';
import { monitorName, osdIdOf, type DrainPod } from './pods.ts';
import type { ClusterFacts, OtherMaintenance, Situation, Surroundings } from './situation.ts';

export interface InquiryPorts {
  readonly reader: ObserverReader;
  /** Where maintenances are written down, all of them. */
  readonly ledgers: readonly Ledger[];
  cephOf(cluster: KubeObject): Ceph;
  readonly clock: Clock;
}

const REPLACING = 'osd.rook.io/replace-in-progress';
const PROTECTED = ['rook-deps.io/in-use', 'rook-deps.io/critical'];
const POOLS = [Kinds.CephBlockPool, Kinds.CephFilesystem, Kinds.CephObjectStore, Kinds.CephObjectZone];

/** Asks Ceph, and looks at what others do. */
export async function inquire(
  situation: Situation,
  ports: InquiryPorts,
  signal: AbortSignal,
): Promise<Surroundings> {
  const { maintenance, node, pods } = situation;
  const { reader, ledgers } = ports;
  const [clusters, nodes, operators, others, held] = await Promise.all([
    listAll(reader, Kinds.CephCluster, {}, signal),
    listAll(reader, NODE, {}, signal),
    listAll(reader, Kinds.Pod, { labelSelector: 'app=rook-ceph-operator' }, signal),
    Promise.all(ledgers.map((ledger) => ledger.all(signal))),
    foreignHolders(maintenance.request.node, reader, ports.clock.now(), signal),
  ]);
  const hasOperator = operators.some(
    (pod) => pod.metadata.labels?.['app'] === 'rook-ceph-operator' && isReadyPod(pod),
  );
  const facts = await Promise.all(
    clusters
      .filter((cluster) => !isTrueAt(cluster, 'spec', 'external', 'enable'))
      .map((cluster) => clusterFacts(cluster, situation, nodes, hasOperator, ports, signal)),
  );
  const own = facts.filter((one) => one !== undefined);
  const elsewhere = [
    ...others
      .flat()
      .filter((other) => precedes(other, maintenance))
      .map(({ request, status }) => ({ node: request.node, by: status.phase })),
    ...(await foreignMaintenances(reader, signal)),
  ].filter(({ node: other }) => other !== maintenance.request.node);
  return {
    clusters: own,
    others: elsewhere.map((other) => placed(other, own, nodes)),
    holders: [...held, ...others.flat().flatMap((other) => rival(other, maintenance))],
    protections: [...(node ? [node.object] : []), ...pods.map(({ object }) => object)].flatMap(protection),
  };
}

/** Of two that began at once, neither seeing the other, one goes on: both agree on which. */
function precedes(other: Maintenance, own: Maintenance): boolean {
  if (!other.status.prior) return false;
  if (!own.status.prior) return true;
  const place = ({ request, status }: Maintenance): string =>
    `${status.prior?.recordedAt ?? ''} ${request.node}`;
  return place(other) < place(own);
}

/** A command and the controller on the same node: who has begun goes on, else the command. */
function rival(other: Maintenance, own: Maintenance): readonly string[] {
  if (other.request.node !== own.request.node || other.origin.kind === own.origin.kind) return [];
  const isFirst = other.origin.kind === 'ConfigMap' ? !own.status.prior : other.status.prior !== undefined;
  const { kind, name } = { kind: other.origin.kind, name: other.origin.metadata.name };
  return isFirst ? [`this node is in maintenance already (${kind}/${name})`] : [];
}

/** Evictions pass no admission: who is protected from deletion has to be spared here. */
function protection({ kind, metadata }: KubeObject): readonly string[] {
  if (!PROTECTED.some((label) => metadata.labels?.[label] === 'true')) return [];
  const name = `${kind.toLowerCase()}/${metadata.name}`;
  const where = metadata.namespace ? ` -n ${metadata.namespace}` : '';
  return [`${name} is protected; see "kubectl rook-deps why ${name}${where}"`];
}

/** Undefined for a cluster that has nothing on the node and nothing to do with the maintenance. */
async function clusterFacts(
  cluster: KubeObject,
  { maintenance, pods, node }: Situation,
  nodes: readonly KubeObject[],
  hasOperator: boolean,
  ports: InquiryPorts,
  signal: AbortSignal,
): Promise<ClusterFacts | undefined> {
  const { namespace = '', name } = cluster.metadata;
  const { reader } = ports;
  const id = `${namespace}/${name}`;
  const recorded = maintenance.status.clusters.find((known) => known.cluster === id)?.osds ?? [];
  const [deployments, osdPods, ours, rooks, ...services] = await Promise.all([
    listAll(reader, Kinds.Deployment, { namespace, labelSelector: OSD_SELECTOR }, signal),
    listAll(reader, Kinds.Pod, { namespace, labelSelector: OSD_SELECTOR }, signal),
    reader.get(Kinds.ConfigMap, namespace, STATE_NAME, signal),
    reader.get(Kinds.ConfigMap, namespace, ROOK_STATE_NAME, signal),
    ...POOLS.map((kind) => listAll(reader, kind, { namespace }, signal)),
  ]);
  const sources = { deployments, pods: osdPods.filter((pod) => osdIdOf(pod) !== undefined), nodes };
  const names = [maintenance.request.node, node?.object.metadata.labels?.[HOSTNAME]];
  const isOwn = ({ object }: DrainPod): boolean => object.metadata.namespace === namespace;
  const hasDaemon = pods.some((pod) => isOwn(pod) && !['consumers', 'others'].includes(pod.wave));
  const known = osdFacts('', { ...sources, lastNodes: new Map() });
  const isNear = ownOsds(known, names).length > 0 || known.some((osd) => osd.node === undefined);
  if (!isNear && !hasDaemon && recorded.length === 0) return undefined;
  const elsewhere = osdsElsewhere(sources.pods, maintenance.request.node);
  const movable = {
    osds: deployments.filter(isPortable).flatMap((one) => osdIdOf(one) ?? []),
    here: pods.flatMap((pod) => (isOwn(pod) && !pod.isGoing ? (osdIdOf(pod.object) ?? []) : [])),
  };
  const view = await askCeph(
    ports.cephOf(cluster),
    cluster,
    sources,
    names,
    recorded.filter((osd) => !elsewhere.includes(osd)),
    maintenance.request.noDrain ? NONE_MOVABLE : movable,
    ports.clock,
    signal,
  );
  const type = view.type ?? parseState(ours).type ?? requestedDomain(services.flat());
  const osds = view.osds ?? osdFacts(type, { ...sources, lastNodes: new Map() });
  const here = ownOsds(osds, names);
  if (here.length === 0 && recorded.length === 0 && !hasDaemon) return undefined;
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
    own: [...new Set([...recorded, ...here])].toSorted((a, b) => a - b),
    elsewhere,
    monitors: pods.flatMap((pod) => (isOwn(pod) ? (monitorName(pod.object) ?? []) : [])),
    replacing: deployments.flatMap((one) =>
      one.metadata.annotations?.[REPLACING] === 'true' ? (osdIdOf(one) ?? []) : [],
    ),
    hasOperator,
    draining: drains.flatMap(({ domain, by }) => (domain ? [{ domain, by }] : [])),
    blocking: maintenance.isStopping ? await blockingBudgets(cluster, hasOperator, reader, signal) : [],
    ceph: view.answer,
  };
}

/** By name of the node, or by what its OSDs are bound to. */
export function ownOsds(
  osds: readonly OsdFacts[],
  names: readonly (string | undefined)[],
): readonly number[] {
  return osds.filter(({ node }) => node !== undefined && names.includes(node)).map(({ id }) => id);
}

function placed(
  { node, by }: { readonly node: string; readonly by: string },
  clusters: readonly ClusterFacts[],
  nodes: readonly KubeObject[],
): OtherMaintenance {
  const object = nodes.find(({ metadata }) => metadata.name === node);
  const names = [node, object?.metadata.labels?.[HOSTNAME]];
  const domains = clusters.map(({ id, osds }) => {
    const own = new Set(ownOsds(osds, names));
    return [id, [...new Set(osds.filter((osd) => own.has(osd.id)).map(({ domain }) => domain))]] as const;
  });
  return { node, by, domains: new Map(domains) };
}
