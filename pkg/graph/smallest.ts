/** The first `limit` of the items in their order, without sorting those that are not among them. */
export function smallest<T>(
  items: Iterable<T>,
  limit: number,
  compare: (a: T, b: T) => number,
): readonly T[] {
  if (limit <= 0) return [];
  let kept: T[] = [];
  let last: T | undefined;
  for (const item of items) {
    // Most of many come after all that is kept: one comparison each.
    if (last !== undefined && compare(item, last) >= 0) continue;
    kept.push(item);
    if (kept.length < 2 * limit) continue;
    kept = kept.sort(compare).slice(0, limit);
    last = kept.at(-1);
  }
  return kept.sort(compare).slice(0, limit);
}
