import { keyOf, type ObjectKey, type ObjectRef } from '#pkg/object';
import type { Edge } from './edge.ts';
import { farEnd, type Direction, type Graph } from './graph.ts';

export interface Walk {
  /** Every object reached, the starts included, in the order it was first met. */
  readonly objects: ReadonlyMap<ObjectKey, ObjectRef>;
  /** Every edge between two of them that was crossed. */
  readonly edges: readonly Edge[];
}

/** Everything within `depth` steps of the starts, breadth first; each object is entered once, so cycles end. */
export function walk(
  graph: Graph,
  starts: Iterable<ObjectRef>,
  direction: Direction,
  depth = Infinity,
): Walk {
  const objects = new Map<ObjectKey, ObjectRef>();
  for (const start of starts) objects.set(keyOf(start), start);
  const edges: Edge[] = [];
  let frontier: readonly ObjectKey[] = [...objects.keys()];
  for (let level = 0; level < depth && frontier.length > 0; level++) {
    const next: ObjectKey[] = [];
    for (const key of frontier) {
      for (const edge of graph.edgesAt(key, direction)) {
        edges.push(edge);
        const far = farEnd(edge, direction);
        const farKey = keyOf(far);
        if (objects.has(farKey)) continue;
        objects.set(farKey, far);
        next.push(farKey);
      }
    }
    frontier = next;
  }
  return { objects, edges };
}
