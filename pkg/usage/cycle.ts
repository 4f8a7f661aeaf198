import { keyOf, type ObjectKey, type ObjectRef, type ResourceTypes } from '#pkg/object';
import { targetOf } from './target.ts';
import type { Usage } from './usage.ts';

/** The names along a circle that this usage would close, or undefined. */
export function cycleWith(
  usage: Usage,
  others: readonly Usage[],
  types: ResourceTypes,
): readonly string[] | undefined {
  const uses = new Map<ObjectKey, ObjectRef[]>();
  for (const other of others) {
    if (other.isReleased || keyOf(other.ref) === keyOf(usage.ref)) continue;
    const used = targetOf(other.of, other, types);
    const using = other.by && targetOf(other.by, other, types);
    if (used && using) uses.set(keyOf(using), [...(uses.get(keyOf(using)) ?? []), used]);
  }
  const start = targetOf(usage.of, usage, types);
  const goal = usage.by && targetOf(usage.by, usage, types);
  if (!start || !goal) return undefined;
  const path = pathBetween(start, goal, uses);
  return path && [goal, ...path].map(({ kind, name }) => `${kind}/${name}`);
}

function pathBetween(
  start: ObjectRef,
  goal: ObjectRef,
  next: ReadonlyMap<ObjectKey, readonly ObjectRef[]>,
): readonly ObjectRef[] | undefined {
  const cameFrom = new Map<ObjectKey, ObjectRef | undefined>([[keyOf(start), undefined]]);
  const pending = [start];
  for (let at = pending.shift(); at; at = pending.shift()) {
    if (keyOf(at) === keyOf(goal)) return trail(at, cameFrom);
    for (const to of next.get(keyOf(at)) ?? []) {
      if (cameFrom.has(keyOf(to))) continue;
      cameFrom.set(keyOf(to), at);
      pending.push(to);
    }
  }
  return undefined;
}

function trail(
  end: ObjectRef,
  cameFrom: ReadonlyMap<ObjectKey, ObjectRef | undefined>,
): readonly ObjectRef[] {
  const path: ObjectRef[] = [];
  for (let at: ObjectRef | undefined = end; at; at = cameFrom.get(keyOf(at))) path.unshift(at);
  return path;
}
