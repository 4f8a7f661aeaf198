import type { OsdMap, StopForecast } from '#pkg/ceph';
import { domainWords, listed } from '#pkg/drain';
import { poolsKeeping } from './copies.ts';
import { ONE_BY_ONE } from './one-by-one.ts';
import {
  ownDomains,
  type CephAnswer,
  type ClusterFacts,
  type Situation,
  type Surroundings,
} from './situation.ts';
import type { Obstacle } from './status.ts';
import { osdName } from './words.ts';

/** Why nothing may be done now. */
export interface Conflict extends Obstacle {
  /** `never`: not even by force, because data would stop to be served, or somebody's protection be ignored. */
  readonly force: 'allowed' | 'never';
}

/** Flags of the whole cluster that somebody has set for a reason. */
const FLAGS = [
  'noout',
  'norebalance',
  'nobackfill',
  'norecover',
  'noup',
  'nodown',
  'noin',
  'pauserd',
  'pausewr',
];
const FULL = [
  'OSD_FULL',
  'OSD_BACKFILLFULL',
  'OSD_NEARFULL',
  'POOL_FULL',
  'POOL_BACKFILLFULL',
  'POOL_NEARFULL',
];

/** What stands in the way, before it begins and before each wave. */
export function conflictsIn(situation: Situation, surroundings: Surroundings): readonly Conflict[] {
  const { force } = situation.maintenance.request;
  const found = [
    ...surroundings.holders.map((holder) => allowed('NodeHeld', holder)),
    ...surroundings.protections.map((words) => never('Protected', words)),
    ...surroundings.clusters.flatMap((cluster) => clusterConflicts(cluster, surroundings)),
  ];
  return found.filter(({ force: needed }) => !force || needed === 'never');
}

function allowed(reason: string, message: string): Conflict {
  return { reason, message, force: 'allowed' };
}

function never(reason: string, message: string): Conflict {
  return { reason, message, force: 'never' };
}

function clusterConflicts(cluster: ClusterFacts, surroundings: Surroundings): readonly Conflict[] {
  const { ceph, id } = cluster;
  const common = [...foreignDrains(cluster, surroundings), ...rookConflicts(cluster)];
  if (ceph.kind === 'silent')
    return [never('CephSilent', `Ceph of ${id} does not answer: ${ceph.reason}`), ...common];
  return [
    ...quorumConflicts(cluster, ceph),
    ...common,
    ...dataConflicts(cluster, ceph),
    ...fileConflicts(ceph),
    ...stateConflicts(ceph),
  ];
}

type Told = Extract<CephAnswer, { kind: 'told' }>;

/** Two failure domains at once lose data that has two copies in them. */
function foreignDrains(cluster: ClusterFacts, { others }: Surroundings): readonly Conflict[] {
  const own = ownDomains(cluster);
  if (own.length === 0) return [];
  const maintained = others.flatMap(({ node, by, domains }) => {
    const foreign = (domains.get(cluster.id) ?? []).filter((domain) => !own.includes(domain));
    return foreign.map((domain) =>
      allowed(
        'OtherMaintenance',
        `node ${node} of ${domainWords(cluster.type, domain)} is in maintenance (${by})`,
      ),
    );
  });
  const draining = cluster.draining
    .filter(({ domain }) => !own.includes(domain))
    .map(({ domain, by }) =>
      allowed('OtherDrain', `${domainWords(cluster.type, domain)} is being drained, says ${by}`),
    );
  return [...maintained, ...draining];
}

function rookConflicts({ replacing, hasOperator, id }: ClusterFacts): readonly Conflict[] {
  return [
    ...(replacing.length > 0
      ? [allowed('Replacement', `${listed(replacing.map(osdName))} of ${id} ${be(replacing)} being replaced`)]
      : []),
    ...(hasOperator ? [] : [allowed('NoOperator', `the Rook operator of ${id} is not running`)]),
  ];
}

function quorumConflicts({ monitors }: ClusterFacts, { quorum }: Told): readonly Conflict[] {
  const left = quorum.inQuorum.filter((name) => !monitors.includes(name));
  const isKept = left.length > quorum.monitors.length / 2;
  if (monitors.length === 0 || isKept) return [];
  const named = listed(monitors.map((name) => `mon.${name}`));
  return [
    never('Quorum', `without ${named}, ${left.length} of ${quorum.monitors.length} monitors are no quorum`),
  ];
}

/** While OSDs of our own domain are down, copies are missing anyhow, but in none of the groups that are served here. */
function dataConflicts(cluster: ClusterFacts, { osdMap, groups }: Told): readonly Conflict[] {
  if (cluster.own.length === 0) return [];
  const own = ownDomains(cluster);
  const domains = new Map(cluster.osds.map(({ id, domain }) => [id, domain]));
  const fading = new Set(cluster.osds.filter(({ isDown }) => isDown).map(({ id }) => id));
  // One that is down and out has been given up: its data is elsewhere. Of one that goes, Ceph may not know yet.
  const down = osdMap.osds
    .filter(({ id, isUp, isIn }) => isIn && (!isUp || fading.has(id)))
    .map(({ id }) => id);
  const foreign = down.filter((id) => !cluster.own.includes(id) && !own.includes(domains.get(id) ?? ''));
  const lost =
    foreign.length > 0
      ? [allowed('OsdDown', `${listed(foreign.map(osdName))} of another ${cluster.type} ${be(foreign)} down`)]
      : [];
  if ('trouble' in groups)
    return [
      never('CephSilent', `Ceph does not tell how its placement groups are: ${groups.trouble}`),
      ...lost,
    ];
  const { isClean, words, unclean, needed, forecast, turns, opinion } = groups;
  // Not even force lets the next go before all data is whole again.
  if (turns && turns.next === undefined) return [...lost, never('OneByOne', `${ONE_BY_ONE} (${words})`)];
  const isUnclean = !isClean && (down.length === foreign.length || unclean.length > 0);
  return [
    ...lost,
    ...(isUnclean ? [allowed('Unclean', `not all placement groups are clean: ${words}`)] : []),
    ...(forecast.isSafe ? [] : [never('DataWouldStop', forecastWords(forecast, osdMap))]),
    ...(needed.length > 0
      ? [never('DataWouldStop', `${listed(needed)} may have the only copy of an object on this node`)]
      : []),
    ...(forecast.isSafe && !opinion
      ? [never('DataWouldStop', 'Ceph says that it is not ok to stop these OSDs')]
      : []),
  ];
}

function forecastWords({ wouldStop, unknown }: StopForecast, { pools }: OsdMap): string {
  const single = poolsKeeping(wouldStop, pools).filter(({ size }) => size === 1);
  const stops =
    wouldStop.length > 0
      ? `${wouldStop.length} placement groups would serve no more (${listed(wouldStop)})`
      : '';
  const lost = unknown.length > 0 ? `nobody knows the state of ${unknown.length} placement groups` : '';
  const copies =
    single.length > 0 ? `; a single copy is all that ${listed(single.map(({ name }) => name))} has` : '';
  return `without the OSDs of this node ${[stops, lost].filter(Boolean).join(', and ')}${copies}`;
}

/** Nothing is lost while a filesystem is without a metadata server: whoever uses it waits. */
function fileConflicts({ metadataServers }: Told): readonly Conflict[] {
  if (!metadataServers || metadataServers.opinion.isOk) return [];
  const names = listed(metadataServers.names.map((name) => `mds.${name}`));
  const { words } = metadataServers.opinion;
  return [
    allowed(
      'FilesystemWouldWait',
      `nobody would take over from ${names}, and whoever uses CephFS would wait; Ceph says: ${words}`,
    ),
  ];
}

function stateConflicts({ health, checks, osdMap }: Told): readonly Conflict[] {
  const full = checks.filter((check) => FULL.includes(check));
  const flags = osdMap.flags.filter((flag) => FLAGS.includes(flag));
  return [
    ...(health === 'HEALTH_ERR'
      ? [allowed('HealthError', `Ceph is in HEALTH_ERR: ${checks.join(', ')}`)]
      : []),
    ...(full.length > 0 ? [allowed('Full', `Ceph is short of room: ${full.join(', ')}`)] : []),
    ...(flags.length > 0
      ? [allowed('ForeignFlags', `somebody has set ${listed(flags)} for the whole of Ceph`)]
      : []),
  ];
}

function be({ length }: readonly unknown[]): string {
  return length === 1 ? 'is' : 'are';
}
