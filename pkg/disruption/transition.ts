import { compareText, type KubeObject } from '#pkg/object';

/** One change to a budget. */
export type Step =
  | { readonly kind: 'apply'; readonly budget: KubeObject }
  | { readonly kind: 'delete'; readonly budget: KubeObject };

/**
 * From the budgets that are there to those that should be, in an order that is safe after each step: what is new comes
 * first, then what changes, for it may give up what the new ones hold, and what protected before goes last, so that no
 * OSD that needs a budget is ever without one. The domain that drains has either the old budget or none: no new one selects it.
 */
export function transition(present: readonly KubeObject[], wanted: readonly KubeObject[]): readonly Step[] {
  const there = new Map(present.map((budget) => [budget.metadata.name, budget]));
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  const isThere = ({ metadata }: KubeObject): number => Number(there.has(metadata.name));
  const sorted = wanted.toSorted(
    (a, b) => isThere(a) - isThere(b) || compareText(a.metadata.name, b.metadata.name),
  );
  const missing = sorted.filter((budget) => !says(there.get(budget.metadata.name), budget));
  const surplus = present.filter(({ metadata }) => !names.has(metadata.name));
  return [
    ...missing.map((budget) => ({ kind: 'apply', budget }) as const),
    ...surplus.map((budget) => ({ kind: 'delete', budget }) as const),
  ];
}

/** Whether a budget says all that is wanted of it; what the server or others add does not matter. */
function says(found: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(found) &&
      found.length === wanted.length &&
      wanted.every((item, at) => says(found[at], item))
    );
  }
  if (typeof wanted !== 'object' || wanted === null) return found === wanted;
  if (typeof found !== 'object' || found === null) return false;
  const isSelector = 'matchLabels' in wanted || 'matchExpressions' in wanted;
  // A selector with more in it selects something else.
  if (isSelector && Object.keys(found).length !== Object.keys(wanted).length) return false;
  return Object.entries(wanted).every(([key, value]) => says((found as Record<string, unknown>)[key], value));
}
