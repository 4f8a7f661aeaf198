import { compareEdges, smallest, type Edge } from '#pkg/graph';
import { MAX_BLOCKERS, type Finding } from './finding.ts';

/** Those who block, of all edges to a resource. */
export function findingOfEdges(edges: Iterable<Edge>): Finding {
  const blocking = blockersOf(edges);
  const counts: Record<string, number> = {};
  for (const { dependent } of blocking) counts[dependent.kind] = (counts[dependent.kind] ?? 0) + 1;
  const first = smallest(blocking, MAX_BLOCKERS, compareEdges);
  return { blockers: first.map(({ dependent, code }) => ({ ...dependent, code })), counts, gaps: [] };
}

/** One edge for each dependent: the first of those that block. */
function blockersOf(edges: Iterable<Edge>): readonly Edge[] {
  const known = new Map<string, Edge>();
  for (const edge of edges) {
    if (!edge.blocks) continue;
    const { kind, namespace, name } = edge.dependent;
    const key = `${kind}/${namespace ?? ''}/${name}`;
    const other = known.get(key);
    if (!other || edge.code < other.code) known.set(key, edge);
  }
  return [...known.values()];
}
