import type { Ceph } from '#pkg/ceph';
import { orSilence, type CephView } from './ceph-view.ts';
import { osdFacts, type OsdFacts, type OsdSources } from './osd-facts.ts';

export type OsdObjects = Pick<OsdSources, 'deployments' | 'pods' | 'nodes'>;

/**
 * Down is who either Kubernetes or Ceph calls so, and whom Ceph misses while Kubernetes has nothing of it any more. Where
 * a pod may run anywhere, only Ceph knows where it was.
 */
export async function viewOsds(
  type: string,
  objects: OsdObjects,
  ceph: Ceph | undefined,
  view: CephView | undefined,
  onSilence: (error: Error) => void,
  signal: AbortSignal,
): Promise<readonly OsdFacts[]> {
  const down = new Set(view?.osdMap.osds.filter(({ isUp }) => !isUp).map(({ id }) => id));
  const domains = view?.layout.type === type ? view.layout.domains : undefined;
  const sources = { ...objects, down, ...(domains ? { domains } : {}) };
  const facts = osdFacts(type, { ...sources, lastNodes: new Map() });
  const isLost = facts.some(({ isDown, node }) => isDown && node === undefined);
  const lastNodes =
    isLost && view && ceph ? await orSilence(onSilence, () => ceph.osdNodes(signal)) : undefined;
  const known = lastNodes ? osdFacts(type, { ...sources, lastNodes }) : facts;
  return [...known, ...goneOsds(known, view, domains)].sort((a, b) => a.id - b.id);
}

/** Nobody brings them back by bringing back a node: they are not drained. */
function goneOsds(
  known: readonly OsdFacts[],
  view: CephView | undefined,
  domains: ReadonlyMap<number, string> | undefined,
): readonly OsdFacts[] {
  const ids = new Set(known.map(({ id }) => id));
  const missed = view?.osdMap.osds.filter(({ id, isUp, isIn }) => !isUp && isIn && !ids.has(id)) ?? [];
  return missed.map(({ id }) => ({
    id,
    domain: domains?.get(id) ?? '',
    isGone: true,
    isDown: true,
    isDrained: false,
  }));
}
