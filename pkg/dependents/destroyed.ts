import type { KubeObject, Listing } from '#pkg/object';
import { destructionAsked } from '#pkg/verdict';
import { NOTHING, type Finding } from './finding.ts';

type Find = (subject: KubeObject, signal: AbortSignal) => Promise<Finding>;

export interface DestroyedPorts {
  /** From the cache: may be late. */
  isDestroyed(subject: KubeObject): boolean;
  /** As they are now. */
  clustersIn(namespace: string, signal: AbortSignal): Promise<Listing>;
}

/**
 * Spares the look at what is destroyed with its cluster: everything in it goes at once, and one look at the cluster says as
 * much as a look at all that could depend on it. The word may have been taken back, so the cache is not believed.
 */
export function sparingDestroyed(find: Find, ports: DestroyedPorts): Find {
  return async (subject, signal) => {
    if (!ports.isDestroyed(subject)) return find(subject, signal);
    const { items } = await ports.clustersIn(subject.metadata.namespace ?? '', signal);
    return destructionAsked(subject, items) ? NOTHING : find(subject, signal);
  };
}
