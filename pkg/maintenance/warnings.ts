import { holdsForGood, listed } from '#pkg/drain';
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
    ...clusters.flatMap(lostServices),
    ...holdsForGood(objects, budgets.items).map(
      ({ message }) => `${message}; that does not change by itself, so the eviction would wait for ever`,
    ),
    ...budgets.gaps.map(({ what, reason }) => `nobody knows which budgets hold pods: ${what}: ${reason}`),
  ];
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

function lostServices({ id, lone, ceph }: ClusterFacts): readonly string[] {
  // Metadata servers of other filesystems stand by as well: Ceph knows.
  const isServed = ceph.kind === 'told' && ceph.metadataServers?.opinion.isOk === true;
  return lone.filter(({ app }) => app !== METADATA_SERVER || !isServed).map((one) => lonelyWords(one, id));
}
