import {
  refOf,
  sameKind,
  type Gap,
  type GroupKind,
  type KubeObject,
  type ListRequest,
  type Listing,
} from '#pkg/object';
import type { Need } from '#pkg/rules';

/** The one thing gathering asks of a source of objects. */
export interface Lister {
  list(request: ListRequest, signal: AbortSignal): Promise<Listing>;
}

/** What was found, and what of each kind could not be looked at. */
export interface Gathered {
  readonly items: readonly KubeObject[];
  readonly gaps: readonly { readonly kind: GroupKind; readonly gap: Gap }[];
}

/** Looks at everything a question needs, in parallel; what depends on a find comes in a second round. */
export async function gather(lister: Lister, needs: readonly Need[], signal: AbortSignal): Promise<Gathered> {
  const first = await listAll(
    lister,
    needs.filter((need) => !need.ifAny),
    signal,
  );
  const wanted = needs.filter(
    ({ ifAny }) => ifAny && first.items.some((object) => sameKind(refOf(object), ifAny)),
  );
  if (wanted.length === 0) return first;
  const second = await listAll(lister, wanted, signal);
  return { items: [...first.items, ...second.items], gaps: [...first.gaps, ...second.gaps] };
}

async function listAll(lister: Lister, needs: readonly Need[], signal: AbortSignal): Promise<Gathered> {
  const listings = await Promise.all(
    needs.map(async ({ kind, namespace, detail, labelSelector }) => {
      const { items, gaps } = await lister.list({ kind, namespace, detail, labelSelector }, signal);
      return { items, gaps: gaps.map((gap) => ({ kind, gap })) };
    }),
  );
  return { items: listings.flatMap(({ items }) => items), gaps: listings.flatMap(({ gaps }) => gaps) };
}
