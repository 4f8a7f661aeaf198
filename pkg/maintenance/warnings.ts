import { holdsForGood, listed, type Hold } from '#pkg/drain';
import { poolsKeeping } from './copies.ts';
import { lonelyWords, METADATA_SERVER } from './services.ts';
import type { ClusterFacts, Situation, Surroundings } from './situation.ts';

/** What somebody should know before it begins, although none of it is in the way. */
export function warningsOn(
  { maintenance: { request }, pods }: Situation,
  { clusters, budgets }: Surroundings,
): readonly string[] {
  const data = clusters.flatMap(lastCopies);
  if (request.noDrain) return data;
  const evicted = pods.filter(({ isBare, isGoing, wave }) => {
    // Budgets over these hold them for a while only.
    const isData = wave === 'osds' || wave === 'monitors';
    return !isBare && !isGoing && !isData;
  });
  const objects = evicted.map(({ object }) => object);
  return [
    ...data,
    ...clusters.flatMap((cluster) => lostServices(cluster, request.force)),
    ...holdsForGood(objects, budgets.items).map(endlessWords),
    ...budgets.gaps.map(({ what, reason }) => `nobody knows which budgets hold pods: ${what}: ${reason}`),
  ];
}

function endlessWords({ kind, message }: Hold): string {
  const way = kind === 'broken' ? 'delete all but one of them' : 'add a pod or delete the budget';
  return `${message}; that does not change by itself: ${way}, else the eviction waits for ever`;
}

/** Pools that serve with one copy are served all the same, and one more broken disk would take it. */
function lastCopies({ ceph }: ClusterFacts): readonly string[] {
  if (ceph.kind === 'silent' || 'trouble' in ceph.groups) return [];
  const { lastCopy } = ceph.groups.forecast;
  const pools = poolsKeeping(lastCopy, ceph.osdMap.pools);
  if (pools.length === 0) return [];
  const names = `${pools.length === 1 ? 'pool' : 'pools'} ${listed(pools.map(({ name }) => name))}`;
  return [`while the node is away, data of ${names} is in a single place: min_size is 1`];
}

function lostServices({ id, lone, ceph }: ClusterFacts, isForced: boolean): readonly string[] {
  // Metadata servers of other filesystems stand by as well: Ceph knows. What it says is in the way, unless by force.
  const isLost = isForced && ceph.kind === 'told' && ceph.metadataServers?.opinion.isOk === false;
  return lone.filter(({ app }) => app !== METADATA_SERVER || isLost).map((one) => lonelyWords(one, id));
}
