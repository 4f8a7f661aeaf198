import { keyOf, type ObjectKey } from '#pkg/object';
import { compareEdges, type Edge } from './edge.ts';

/** Which way to follow edges: to those that need an object, or to those it needs. */
export type Direction = 'dependents' | 'providers';

/** All edges, replaceable source by source. */
export class Graph {
  readonly #bySource = new Map<ObjectKey, readonly Edge[]>();
  readonly #byProvider = new Map<ObjectKey, Set<Edge>>();
  readonly #byDependent = new Map<ObjectKey, Set<Edge>>();

  /** Puts `edges` in the place of all that was read from `source` before. */
  replace(source: ObjectKey, edges: readonly Edge[]): void {
    for (const edge of this.#bySource.get(source) ?? []) {
      discard(this.#byProvider, keyOf(edge.provider), edge);
      discard(this.#byDependent, keyOf(edge.dependent), edge);
    }
    if (edges.length === 0) this.#bySource.delete(source);
    else this.#bySource.set(source, edges);
    for (const edge of edges) {
      put(this.#byProvider, keyOf(edge.provider), edge);
      put(this.#byDependent, keyOf(edge.dependent), edge);
    }
  }

  /** The edges at an object, sorted: `dependents` are those that point to it, `providers` those that leave it. */
  edgesAt(key: ObjectKey, direction: Direction): readonly Edge[] {
    const edges = (direction === 'dependents' ? this.#byProvider : this.#byDependent).get(key);
    return edges ? [...edges].sort(compareEdges) : [];
  }

  edges(): readonly Edge[] {
    return [...this.#bySource.values()].flat().sort(compareEdges);
  }
}

/** The other end of an edge, seen from where the walk came. */
export function farEnd(edge: Edge, direction: Direction): Edge['dependent'] {
  return direction === 'dependents' ? edge.dependent : edge.provider;
}

function put(index: Map<ObjectKey, Set<Edge>>, key: ObjectKey, edge: Edge): void {
  const edges = index.get(key);
  if (edges) edges.add(edge);
  else index.set(key, new Set([edge]));
}

function discard(index: Map<ObjectKey, Set<Edge>>, key: ObjectKey, edge: Edge): void {
  const edges = index.get(key);
  if (!edges?.delete(edge)) return;
  // An empty set left behind would keep the key of every object that ever was.
  if (edges.size === 0) index.delete(key);
}
