import type { Ceph } from '#pkg/ceph';
import type { Clock } from '#pkg/clock';
import { BUDGET, HOSTNAME, NODE } from '#pkg/drain';
import { isTrueAt, Kinds, type KubeObject, type Listing } from '#pkg/object';
import { clusterFacts, ownOsds } from './cluster-facts.ts';
import type { Ledger } from './ledger.ts';
import type { Maintenance } from './maintenance.ts';
import { listAll, type ObserverReader } from './observe.ts';
import { OPERATOR_SELECTOR } from './operator.ts';
import { foreignHolders, foreignMaintenances } from './others.ts';
import type { ClusterFacts, OtherMaintenance, Situation, Surroundings } from './situation.ts';

export interface InquiryPorts {
  readonly reader: ObserverReader;
  /** Where maintenances are written down, all of them. */
  readonly ledgers: readonly Ledger[];
  cephOf(cluster: KubeObject): Ceph;
  readonly clock: Clock;
}

const NONE: Listing = { items: [], gaps: [] };
const PROTECTED = ['rook-deps.io/in-use', 'rook-deps.io/critical'];

/** Asks Ceph, and looks at what others do. */
export async function inquire(
  situation: Situation,
  ports: InquiryPorts,
  signal: AbortSignal,
): Promise<Surroundings> {
  const { maintenance, node, pods } = situation;
  const { reader, ledgers } = ports;
  const [clusters, nodes, operators, others, held, budgets] = await Promise.all([
    listAll(reader, Kinds.CephCluster, {}, signal),
    listAll(reader, NODE, {}, signal),
    listAll(reader, Kinds.Pod, { labelSelector: OPERATOR_SELECTOR }, signal),
    Promise.all(ledgers.map((ledger) => ledger.all(signal))),
    foreignHolders(maintenance.request.node, reader, ports.clock.now(), signal),
    maintenance.status.prior ? NONE : reader.list({ kind: BUDGET, detail: 'object' }, signal),
  ]);
  const facts = await Promise.all(
    clusters
      .filter((cluster) => !isTrueAt(cluster, 'spec', 'external', 'enable'))
      .map((cluster) => clusterFacts(cluster, situation, { nodes, operators }, ports, signal)),
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
    budgets,
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
