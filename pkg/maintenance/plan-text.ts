import { domainWords, listed } from '#pkg/drain';
import { printable, table } from '#pkg/render';
import type { Conflict } from './conflicts.ts';
import { WAVES, type DrainPod, type Wave } from './pods.ts';
import { ownDomains, type ClusterFacts, type Situation, type Surroundings } from './situation.ts';
import type { Return } from './tolerations.ts';
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

/** What a maintenance would do, for people: clusters, pods in the order in which they go, and what is in the way. */
export function planText(
  { maintenance: { request }, node, pods }: Situation,
  { clusters }: Surroundings,
  conflicts: readonly Conflict[],
): readonly string[] {
  const cordon = node?.isCordoned ? 'is cordoned already, and stays so afterwards' : 'will be cordoned';
  return [
    `Node ${printable(request.node)} ${cordon}.`,
    ...clusters.map(clusterLine),
    ...(clusters.length === 0 ? ['It has nothing of Ceph.'] : []),
    ...(request.duration ? [`noout goes after ${request.duration}, whatever happens.`] : []),
    ...podLines(request.noDrain, pods),
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

function podLines(noDrain: boolean, pods: readonly DrainPod[]): readonly string[] {
  if (noDrain) return ['Pods stay where they are (--no-drain).'];
  if (pods.length === 0) return ['No pod has to go.'];
  // Whatever has to do with Ceph is named, all of it.
  const unnamed = pods.filter(({ wave }) => wave === 'others').slice(MAX_LISTED);
  const named = WAVES.flatMap((wave) => pods.filter((pod) => pod.wave === wave && !unnamed.includes(pod)));
  const rows = named.map(({ name, wave, isBare, comesBack, volumes }) => [
    `  ${WAVES.indexOf(wave) + 1}`,
    printable(name),
    printable(
      [
        WAVE_WORDS[wave],
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

function conflictLines(conflicts: readonly Conflict[]): readonly string[] {
  if (conflicts.length === 0) return [];
  const lines = conflicts.map(
    ({ message, force }) => `  ${printable(message)}${force === 'never' ? ' (not even with --force)' : ''}`,
  );
  return ['', 'In the way:', ...lines];
}
