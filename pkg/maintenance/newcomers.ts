import type { ClusterFacts, Situation, Surroundings } from './situation.ts';
import type { ClusterOsds, NooutChange, Prior } from './status.ts';
import type { Step } from './steps.ts';

/** The OSDs of a cluster on the node, as they are written down. */
export function osdsOf({ id, own, ceph }: ClusterFacts): readonly ClusterOsds[] {
  const up = new Set(
    ceph.kind === 'told' ? ceph.osdMap.osds.filter(({ isUp }) => isUp).map((osd) => osd.id) : own,
  );
  return own.length > 0 ? [{ cluster: id, osds: own, down: own.filter((osd) => !up.has(osd)) }] : [];
}

/** The flags that somebody else has set: they are not ours to take off. */
export function priorNoout(cluster: ClusterFacts): Prior['noout'] {
  const osds = flaggedOsds(cluster);
  return osds.length > 0 ? [{ cluster: cluster.id, osds }] : [];
}

export function nooutOf(cluster: ClusterFacts): readonly NooutChange[] {
  if (cluster.own.length === 0) return [];
  const flagged = flaggedOsds(cluster);
  const osds = cluster.own.filter((id) => !flagged.includes(id));
  return [{ cluster: cluster.id, osds, state: 'setting' }];
}

function flaggedOsds({ ceph, own }: ClusterFacts): readonly number[] {
  if (ceph.kind === 'silent') return [];
  return ceph.osdMap.osds
    .filter(({ id, state }) => own.includes(id) && state.includes('noout'))
    .map(({ id }) => id);
}

/** OSDs that came after it began are written down, and noout is set on them, before any pod goes. */
export function withNewcomers(
  { maintenance: { status } }: Situation,
  { clusters }: Surroundings,
): Step | undefined {
  const { prior } = status;
  const known = new Map(status.clusters.map(({ cluster, osds }) => [cluster, osds]));
  const fresh = clusters
    .map((cluster) => ({
      ...cluster,
      own: cluster.own.filter((id) => !known.get(cluster.id)?.includes(id)),
    }))
    .filter(({ own }) => own.length > 0);
  if (fresh.length === 0 || !prior) return undefined;
  const next = {
    ...status,
    message: 'setting noout on OSDs that came to the node',
    prior: { ...prior, noout: joined(prior.noout, fresh.flatMap(priorNoout)) },
    noout: joined(status.noout, fresh.flatMap(nooutOf)),
    clusters: joined(status.clusters, fresh.flatMap(osdsOf)),
  };
  return { kind: 'tell', status: next, next: 'at-once' };
}

/** One entry for a cluster; what is new is still to be done for all of it. */
function joined<T extends { readonly cluster: string; readonly osds: readonly number[] }>(
  old: readonly T[],
  more: readonly T[],
): readonly T[] {
  const added = new Map(more.map((one) => [one.cluster, one]));
  const kept = old.map((one) => {
    const extra = added.get(one.cluster);
    added.delete(one.cluster);
    return extra ? { ...one, ...extra, osds: [...one.osds, ...extra.osds] } : one;
  });
  return [...kept, ...added.values()];
}
