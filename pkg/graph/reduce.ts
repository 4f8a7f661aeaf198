import { keyOf, type ObjectKey } from '#pkg/object';
import type { Edge } from './edge.ts';

/**
 * Leaves out edges that a longer way already tells: with volume → pool → cluster, volume → cluster says nothing
 * new to a reader. Edges within a cycle are kept, and so are all those from one object into the same cycle.
 */
export function withoutShortcuts(edges: readonly Edge[]): readonly Edge[] {
  const providers = new Map<ObjectKey, Set<ObjectKey>>();
  for (const edge of edges) {
    const from = keyOf(edge.dependent);
    const known = providers.get(from);
    if (known) known.add(keyOf(edge.provider));
    else providers.set(from, new Set([keyOf(edge.provider)]));
  }
  const above = new Map<ObjectKey, ReadonlySet<ObjectKey>>();
  return edges.filter((edge) => {
    const from = keyOf(edge.dependent);
    const to = keyOf(edge.provider);
    for (const between of providers.get(from) ?? []) {
      if (between === to || between === from) continue;
      const reached = reachable(between, providers, above);
      if (!reached.has(to) || reached.has(from)) continue;
      // Two ways into one cycle would each be a detour of the other, and both would go.
      if (!reachable(to, providers, above).has(between)) return false;
    }
    return true;
  });
}

function reachable(
  start: ObjectKey,
  providers: ReadonlyMap<ObjectKey, ReadonlySet<ObjectKey>>,
  known: Map<ObjectKey, ReadonlySet<ObjectKey>>,
): ReadonlySet<ObjectKey> {
  const cached = known.get(start);
  if (cached) return cached;
  const reached = new Set<ObjectKey>();
  const pending = [start];
  for (let key = pending.pop(); key !== undefined; key = pending.pop()) {
    for (const provider of providers.get(key) ?? []) {
      if (reached.has(provider)) continue;
      reached.add(provider);
      pending.push(provider);
    }
  }
  known.set(start, reached);
  return reached;
}
