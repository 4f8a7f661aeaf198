import { compareText, keyOf, type ObjectKey, type ObjectRef } from '#pkg/object';
import type { Edge } from './edge.ts';

/** Objects that may go together; only those in a cycle with each other depend on one another. */
export type Level = readonly ObjectRef[];

/**
 * Groups objects so that every dependent comes in an earlier level than its provider: leaves first. The objects of
 * a cycle share a level, because no order satisfies them.
 */
export function deletionOrder(objects: Iterable<ObjectRef>, edges: Iterable<Edge>): readonly Level[] {
  const refs = new Map<ObjectKey, ObjectRef>();
  for (const ref of objects) refs.set(keyOf(ref), ref);
  const providers = new Map<ObjectKey, ObjectKey[]>([...refs.keys()].map((key) => [key, []]));
  for (const edge of edges) {
    const provider = keyOf(edge.provider);
    if (refs.has(provider)) providers.get(keyOf(edge.dependent))?.push(provider);
  }
  const levelOf = levelsOf(providers);
  const levels: ObjectRef[][] = [];
  for (const key of [...refs.keys()].sort(compareText)) {
    const ref = refs.get(key);
    if (ref) (levels[levelOf.get(key) ?? 0] ??= []).push(ref);
  }
  return levels.filter((level) => level.length > 0);
}

/** The longest way from a leaf to each object, counted over components so that cycles have one level. */
function levelsOf(providers: ReadonlyMap<ObjectKey, readonly ObjectKey[]>): Map<ObjectKey, number> {
  const components = stronglyConnected(providers);
  const levels = new Map<ObjectKey, number>();
  const atLeast = new Map<ObjectKey, number>();
  // Components come providers first; the levels are counted from the leaves, so backwards.
  for (const component of components.toReversed()) {
    // Not spread into Math.max: a cycle may be longer than an argument list.
    const level = component.reduce((highest, key) => Math.max(highest, atLeast.get(key) ?? 0), 0);
    for (const key of component) {
      levels.set(key, level);
      for (const provider of providers.get(key) ?? []) {
        atLeast.set(provider, Math.max(atLeast.get(provider) ?? 0, level + 1));
      }
    }
  }
  return levels;
}

/** Tarjan's components, each before those that reach it. Iterative: owner chains may be longer than the call stack. */
function stronglyConnected(next: ReadonlyMap<ObjectKey, readonly ObjectKey[]>): ObjectKey[][] {
  const indexOf = new Map<ObjectKey, number>();
  const lowOf = new Map<ObjectKey, number>();
  const onStack = new Set<ObjectKey>();
  const stack: ObjectKey[] = [];
  const components: ObjectKey[][] = [];

  function enter(key: ObjectKey): { key: ObjectKey; pending: ObjectKey[] } {
    indexOf.set(key, indexOf.size);
    lowOf.set(key, indexOf.size - 1);
    stack.push(key);
    onStack.add(key);
    return { key, pending: [...(next.get(key) ?? [])] };
  }
  function lower(key: ObjectKey, value: number): void {
    lowOf.set(key, Math.min(lowOf.get(key) ?? value, value));
  }
  function close(root: ObjectKey): void {
    const component: ObjectKey[] = [];
    for (let key = stack.pop(); key !== undefined; key = stack.pop()) {
      onStack.delete(key);
      component.push(key);
      if (key === root) break;
    }
    components.push(component);
  }

  for (const start of next.keys()) {
    if (indexOf.has(start)) continue;
    const frames = [enter(start)];
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      const to = frame.pending.pop();
      if (to === undefined) {
        frames.pop();
        const parent = frames.at(-1);
        if (parent) lower(parent.key, lowOf.get(frame.key) ?? 0);
        if (lowOf.get(frame.key) === indexOf.get(frame.key)) close(frame.key);
      } else if (!indexOf.has(to)) frames.push(enter(to));
      else if (onStack.has(to)) lower(frame.key, indexOf.get(to) ?? 0);
    }
  }
  return components;
}
