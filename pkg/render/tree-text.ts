import { farEnd, walk, withoutShortcuts, type Direction, type Edge } from '#pkg/graph';
import { keyOf, type ObjectKey, type ObjectRef } from '#pkg/object';
import type { DependencyIndex } from '#pkg/rules';
import { objectName } from '#pkg/verdict';
import { objectLabel, resourceName } from './object-label.ts';
import { objectStatus } from './object-status.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';
import { table } from './table.ts';

export interface TreeRequest {
  readonly index: DependencyIndex;
  readonly root: ObjectRef;
  readonly direction: Direction;
  readonly depth: number;
  /** Whether all objects of this one's kind were looked at, so that one which is not there does not exist. */
  isKnown(ref: ObjectRef): boolean;
}

interface Line {
  readonly prefix: string;
  readonly ref: ObjectRef;
  readonly edge?: Edge;
  readonly relation: string;
  /** Its own branch was shown further up. */
  readonly seen: boolean;
}

export interface TreeTextOptions {
  readonly style: Style;
  readonly wide: boolean;
  readonly headers: boolean;
}

/** The root and all that hangs on it, a line each, with the relation to the line above and the status. */
export function renderTree(
  request: TreeRequest,
  { style, wide, headers }: TreeTextOptions,
): readonly string[] {
  const here = request.root.namespace;
  const rows: string[][] = headers
    ? [['OBJECT', 'RELATION', 'STATUS', ...(wide ? ['CODE', 'FIELD'] : [])]]
    : [];
  for (const { prefix, ref, edge, relation, seen } of linesOf(request, style.unicode)) {
    const label = `${style.paint('quiet', prefix)}${objectLabel(ref, edge ? here : undefined)}`;
    const status = statusOf(request, ref) + (seen ? ' (see above)' : '');
    rows.push([
      label,
      relation,
      status.trim(),
      ...(wide ? [edge?.code ?? '', printable(edge?.field ?? '')] : []),
    ]);
  }
  return table(rows);
}

/** Every object of the tree, once, root first. */
export function treeNames(request: TreeRequest): readonly string[] {
  const refs = new Map<ObjectKey, ObjectRef>();
  for (const { ref } of linesOf(request, true)) refs.set(keyOf(ref), ref);
  return [...refs.values()].map((ref) => resourceName(objectName(ref, request.index)));
}

function statusOf({ index, isKnown }: TreeRequest, ref: ObjectRef): string {
  const object = index.get(ref);
  if (object) return objectStatus(object);
  return isKnown(ref) ? 'not found' : '';
}

function* linesOf({ index, root, direction, depth }: TreeRequest, unicode: boolean): Iterable<Line> {
  const { edges } = walk(index.graph, [root], direction);
  const branches = Map.groupBy(withoutShortcuts(edges), (edge) =>
    keyOf(direction === 'dependents' ? edge.provider : edge.dependent),
  );
  const marks = unicode
    ? { item: '├─ ', last: '└─ ', line: '│  ' }
    : { item: '|- ', last: '`- ', line: '|  ' };
  const shown = new Set<ObjectKey>([keyOf(root)]);

  function* below(path: readonly ObjectRef[], indent: string): Iterable<Line> {
    const parent = path.at(-1);
    if (!parent) return;
    const children = childrenOf(branches.get(keyOf(parent)) ?? [], direction);
    for (const [at, edge] of children.entries()) {
      const ref = farEnd(edge, direction);
      const isLast = at === children.length - 1;
      const seen = shown.has(keyOf(ref));
      // At the last level nothing is shown below it, so a shorter way to it may still show its branch.
      const isOpen = path.length < depth;
      if (isOpen) shown.add(keyOf(ref));
      const branched = branches.has(keyOf(ref));
      yield {
        prefix: indent + (isLast ? marks.last : marks.item),
        ref,
        ...told(edge, path, index, direction),
        seen: seen && branched,
      };
      if (!seen && isOpen) yield* below([...path, ref], indent + (isLast ? '   ' : marks.line));
    }
  }

  yield { prefix: '', ref: root, relation: '', seen: false };
  yield* below([root], '');
}

/** One line for each object: of several relations, the one that blocks. */
function childrenOf(edges: readonly Edge[], direction: Direction): readonly Edge[] {
  const byObject = new Map<ObjectKey, Edge>();
  for (const edge of edges) {
    const key = keyOf(farEnd(edge, direction));
    const known = byObject.get(key);
    if (!known || (edge.blocks && !known.blocks)) byObject.set(key, edge);
  }
  return [...byObject.values()];
}

/** A volume hangs below its class, which it does not need; what it does need, further up, is what counts. */
function told(
  edge: Edge,
  path: readonly ObjectRef[],
  index: DependencyIndex,
  direction: Direction,
): Pick<Line, 'edge' | 'relation'> {
  if (edge.blocks) return { edge, relation: edge.relation };
  const strong =
    direction === 'dependents' ? heldBy(edge.dependent, path, index) : holding(edge.provider, path, index);
  if (!strong) return { edge, relation: `${edge.relation} (does not block)` };
  const { relation, dependent, provider } = strong;
  const text =
    direction === 'dependents'
      ? `${relation} ${provider.kind}/${provider.name}`
      : `${dependent.kind} ${relation}`;
  return { edge: strong, relation: printable(text) };
}

/** The edge by which an object holds the nearest object of the path above it. */
function heldBy(dependent: ObjectRef, path: readonly ObjectRef[], index: DependencyIndex): Edge | undefined {
  const held = index.graph.edgesAt(keyOf(dependent), 'providers').filter(({ blocks }) => blocks);
  const byProvider = new Map(held.map((edge) => [keyOf(edge.provider), edge]));
  const nearest = path.findLast((ref) => byProvider.has(keyOf(ref)));
  return nearest && byProvider.get(keyOf(nearest));
}

/** The edge by which the nearest object of the path above holds an object. */
function holding(provider: ObjectRef, path: readonly ObjectRef[], index: DependencyIndex): Edge | undefined {
  const edgesTo = (ref: ObjectRef): Edge | undefined =>
    index.graph
      .edgesAt(keyOf(ref), 'providers')
      .find((edge) => edge.blocks && keyOf(edge.provider) === keyOf(provider));
  const nearest = path.findLast((ref) => edgesTo(ref) !== undefined);
  return nearest && edgesTo(nearest);
}
