import { domainWords, drainSettings, listed } from '#pkg/drain';
import type { KubeObject } from '#pkg/object';
import { printable, table } from '#pkg/render';
import type { Conflict } from './conflicts.ts';
import { ONE_BY_ONE } from './one-by-one.ts';
import { WAVES, type DrainPod, type Wave } from './pods.ts';
import { durationMs, type MaintenanceRequest } from './maintenance.ts';
import { daemonWords, MANAGER, metadataServerName, serviceOf } from './services.ts';
import { ownDomains, type ClusterFacts, type Situation, type Surroundings } from './situation.ts';
import type { Return } from './tolerations.ts';
import { warningsOn } from './warnings.ts';
import { osdName } from './words.ts';

const WAVE_WORDS: Readonly<Record<Wave, string>> = {
  consumers: 'uses volumes of Ceph',
  others: '',
  services: 'serves storage',
  osds: 'keeps data',
  monitors: 'monitor',
};
const RETURN_WORDS: Readonly<Record<Return, string>> = {
  never: '',
  perhaps: 'tolerates the cordon: may come back to this node',
  surely: 'tolerates the cordon and is bound to this node: never evicted',
};
const MAX_LISTED = 30;
/** Rook writes on the pods of managers which of them is active. */
const ROLE = 'mgr_role';

/** What a maintenance would do, for people: clusters, pods in the order in which they go, and what is in the way. */
export function planText(
  situation: Situation,
  surroundings: Surroundings,
  conflicts: readonly Conflict[],
): readonly string[] {
  const { maintenance, node, pods } = situation;
  const { request } = maintenance;
  const { clusters } = surroundings;
  const cordon = node?.isCordoned ? 'is cordoned already, and stays so afterwards' : 'will be cordoned';
  return [
    `Node ${printable(request.node)} ${cordon}.`,
    ...clusters.map(clusterLine),
    ...clusters.flatMap(turnLine),
    ...(clusters.length === 0 ? ['It has nothing of Ceph.'] : []),
    ...(request.duration ? [`noout goes after ${request.duration}, whatever happens.`] : []),
    ...clusters.flatMap((cluster) => rookLine(cluster, request)),
    ...podLines(request.noDrain, pods, clusters),
    ...section('Warnings:', warningsOn(situation, surroundings)),
    ...conflictLines(conflicts),
  ];
}

function clusterLine(cluster: ClusterFacts): string {
  const { id, own, ceph, type } = cluster;
  const osds = own.length > 0 ? `noout will be set on ${listed(own.map(osdName))}` : 'it has no OSD';
  const domains = ownDomains(cluster).map((domain) => domainWords(type, domain));
  const where = domains.length > 0 ? ` of ${domains.join(', ')}` : '';
  const state =
    ceph.kind === 'silent'
      ? 'Ceph does not answer'
      : `${ceph.health}, placement groups: ${'words' in ceph.groups ? ceph.groups.words : 'unknown'}`;
  return printable(`CephCluster ${id}: ${osds}${where} (${state}).`);
}

function turnLine({ id, ceph }: ClusterFacts): readonly string[] {
  const goOneByOne = ceph.kind === 'told' && 'words' in ceph.groups && ceph.groups.turns?.next !== undefined;
  return goOneByOne ? [printable(`CephCluster ${id}: ${ONE_BY_ONE}.`)] : [];
}

/** Where Rook has a noout of its own: that goes, and ours stays. */
function rookLine(cluster: ClusterFacts, { duration }: MaintenanceRequest): readonly string[] {
  const { isRooks, timeoutMs } = drainSettings(cluster.object);
  const limit = duration === undefined ? undefined : durationMs(duration);
  if (!isRooks || cluster.own.length === 0 || (limit !== undefined && limit <= timeoutMs)) return [];
  const domains = listed(ownDomains(cluster).map((domain) => domainWords(cluster.type, domain)));
  const until = duration === undefined ? 'until you stop the maintenance' : `for ${duration}`;
  const own = `that on ${listed(cluster.own.map(osdName))} stays ${until}`;
  return [printable(`Rook takes its own noout off ${domains} after ${timeoutMs / 60_000} minutes; ${own}.`)];
}

function podLines(
  noDrain: boolean,
  pods: readonly DrainPod[],
  clusters: readonly ClusterFacts[],
): readonly string[] {
  if (noDrain) return ['Pods stay where they are (--no-drain).'];
  if (pods.length === 0) return ['No pod has to go.'];
  // Whatever has to do with Ceph is named, all of it.
  const unnamed = pods.filter(({ wave }) => wave === 'others').slice(MAX_LISTED);
  const named = WAVES.flatMap((wave) => pods.filter((pod) => pod.wave === wave && !unnamed.includes(pod)));
  const rows = named.map(({ name, wave, isBare, comesBack, volumes, object }) => [
    `  ${WAVES.indexOf(wave) + 1}`,
    printable(name),
    printable(
      [
        roleWords(object, clusters) ?? WAVE_WORDS[wave],
        volumes.join(', '),
        isBare ? 'no controller: never evicted' : RETURN_WORDS[comesBack],
      ]
        .filter(Boolean)
        .join('; '),
    ),
  ]);
  const more = unnamed.length > 0 ? [`  and ${unnamed.length} more that do not use Ceph`] : [];
  const title =
    pods.length === 1 ? '1 pod will be evicted:' : `${pods.length} pods will be evicted, wave by wave:`;
  return ['', title, ...table(rows), ...more];
}

/** `metadata server of filesystem myfs, rank 0`; undefined for a pod that gives no service. */
function roleWords(pod: KubeObject, clusters: readonly ClusterFacts[]): string | undefined {
  const service = serviceOf(pod);
  if (!service) return undefined;
  const role = service.app === MANAGER ? pod.metadata.labels?.[ROLE] : rankWords(pod, clusters);
  return role ? `${daemonWords(service)}, ${role}` : daemonWords(service);
}

/** Ceph knows those that serve; the others stand by. */
function rankWords(pod: KubeObject, clusters: readonly ClusterFacts[]): string | undefined {
  const [name] = metadataServerName(pod);
  const cluster = clusters.find(({ object }) => object.metadata.namespace === pod.metadata.namespace);
  if (name === undefined || cluster?.ceph.kind !== 'told') return undefined;
  const found = cluster.ceph.ranks.find((one) => one.name === name);
  return found ? `rank ${found.rank}, ${found.state.replace('up:', '')}` : 'standby';
}

function conflictLines(conflicts: readonly Conflict[]): readonly string[] {
  return section(
    'In the way:',
    conflicts.map(({ message, force }) => `${message}${force === 'never' ? ' (not even with --force)' : ''}`),
  );
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${printable(line)}`)];
}
