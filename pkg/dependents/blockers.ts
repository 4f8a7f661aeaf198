import { compareEdges, smallest, type Edge } from '#pkg/graph';
import { MAX_BLOCKERS, type Blocker, type Finding } from './finding.ts';

/** Those who block, of all edges to a resource. */
export function findingOfEdges(edges: Iterable<Edge>): Finding {
  return foundBy(edges, ({ dependent, code }) => ({ ...dependent, code }));
}

/** The same, of all edges to resources that go with something: it is told which of them each one holds. */
export function findingOfParts(edges: Iterable<Edge>): Finding {
  return foundBy(edges, ({ dependent, provider, code }) => ({ ...dependent, code, of: provider }));
}

function foundBy(edges: Iterable<Edge>, blockerOf: (edge: Edge) => Blocker): Finding {
  const blocking = blockersOf(edges);
  const counts: Record<string, number> = {};
  for (const { dependent } of blocking) counts[dependent.kind] = (counts[dependent.kind] ?? 0) + 1;
  const first = smallest(blocking, MAX_BLOCKERS, compareEdges);
  return { blockers: first.map(blockerOf), counts, gaps: [] };
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
