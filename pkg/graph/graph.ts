import { keyOf, type ObjectKey } from '#pkg/object';
import { compareEdges, type Edge } from './edge.ts';

/** Which way to follow edges: to those that need an object, or to those it needs. */
export type Direction = 'dependents' | 'providers';

const DIRECTIONS: readonly Direction[] = ['dependents', 'providers'];

type Ends = Map<ObjectKey, Set<Edge>>;

/** All edges, replaceable source by source. */
export class Graph {
  readonly #bySource = new Map<ObjectKey, readonly Edge[]>();
  /** The edges by the end that a walk comes from. Many who ask go one way only: each is made when first needed. */
  readonly #ends: { [direction in Direction]?: Ends } = {};

  /** Puts `edges` in the place of all that was read from `source` before, and returns those. */
  replace(source: ObjectKey, edges: readonly Edge[]): readonly Edge[] {
    const before = this.#bySource.get(source) ?? [];
    if (edges.length === 0) this.#bySource.delete(source);
    else this.#bySource.set(source, edges);
    for (const direction of DIRECTIONS) {
      const ends = this.#ends[direction];
      if (!ends) continue;
      for (const edge of before) discard(ends, nearKey(edge, direction), edge);
      for (const edge of edges) put(ends, nearKey(edge, direction), edge);
    }
    return before;
  }

  /** The edges at an object, sorted: `dependents` are those that point to it, `providers` those that leave it. */
  edgesAt(key: ObjectKey, direction: Direction): readonly Edge[] {
    const edges = this.#endsOf(direction).get(key);
    return edges ? [...edges].sort(compareEdges) : [];
  }

  /** The same without an order, for those who look at one after another and stop when they have seen enough. */
  unsortedAt(key: ObjectKey, direction: Direction): Iterable<Edge> {
    return this.#endsOf(direction).get(key) ?? [];
  }

  #endsOf(direction: Direction): Ends {
    const known = this.#ends[direction];
    if (known) return known;
    const ends: Ends = new Map();
    for (const edges of this.#bySource.values()) {
      for (const edge of edges) put(ends, nearKey(edge, direction), edge);
    }
    this.#ends[direction] = ends;
    return ends;
  }

  edges(): readonly Edge[] {
    return [...this.#bySource.values()].flat().sort(compareEdges);
  }
}

/** The other end of an edge, seen from where the walk came. */
export function farEnd(edge: Edge, direction: Direction): Edge['dependent'] {
  return direction === 'dependents' ? edge.dependent : edge.provider;
}

/** The end of an edge from which a walk in this direction crosses it. */
function nearKey(edge: Edge, direction: Direction): ObjectKey {
  return keyOf(direction === 'dependents' ? edge.provider : edge.dependent);
}

function put(index: Ends, key: ObjectKey, edge: Edge): void {
  const edges = index.get(key);
  if (edges) edges.add(edge);
  else index.set(key, new Set([edge]));
}

function discard(index: Ends, key: ObjectKey, edge: Edge): void {
  const edges = index.get(key);
  if (!edges?.delete(edge)) return;
  // An empty set left behind would keep the key of every object that ever was.
  if (edges.size === 0) index.delete(key);
}
