import type { KubeObject } from '#pkg/object';
import type { ContentsReader } from '#pkg/verdict';
import type { Blocker, Finding } from './finding.ts';

type Find = (resource: KubeObject, signal: AbortSignal) => Promise<Finding>;

/** Adds what only Ceph can tell to what the cluster tells. Ceph is asked only when nothing else holds the resource. */
export function withContents(find: Find, contents: ContentsReader): Find {
  return async (resource, signal) => {
    const found = await find(resource, signal);
    if (found.blockers.length > 0) return found;
    const { items, gaps } = await contents.contentsOf(resource, signal);
    const blockers = items.map(({ kind, name }): Blocker => ({ group: 'ceph', kind, name, code: 'RD027' }));
    const counts: Record<string, number> = {};
    for (const { kind } of blockers) counts[kind] = (counts[kind] ?? 0) + 1;
    return { blockers, counts, gaps: [...found.gaps, ...gaps] };
  };
}
