import {
  groupOf,
  keyOf,
  refOf,
  type KubeObject,
  type ObjectKey,
  type ObjectRef,
  type Reader,
} from '#pkg/object';
import type { Direction } from '#pkg/graph';
import { claimedComposite, claimOf, composedParts } from '#pkg/rules';
import type { Gathered } from './gather.ts';

/** More than any sane composition has: a broken one must not be followed for ever. */
const MAX_FOLLOWED = 2_000;

/**
 * What objects are composed of, and what those are, however far: their kinds are known only from the references. Upwards, what
 * they are parts of.
 */
export async function gatherComposition(
  reader: Pick<Reader, 'get'>,
  starts: readonly KubeObject[],
  direction: Direction,
  signal: AbortSignal,
): Promise<Gathered> {
  const seen = new Set<ObjectKey>(starts.map((start) => keyOf(refOf(start))));
  const items: KubeObject[] = [];
  const gaps: { kind: ObjectRef; gap: { what: string; reason: string } }[] = [];
  for (let level = [...starts]; level.length > 0 && seen.size < MAX_FOLLOWED;) {
    const named = new Map(
      level.flatMap((object) => namedBy(object, direction)).map((ref) => [keyOf(ref), ref]),
    );
    const fresh = [...named].filter(([key]) => !seen.has(key));
    for (const [key] of fresh) seen.add(key);
    const looks = await Promise.all(fresh.map(([, ref]) => look(reader, ref, signal)));
    level = looks.flatMap(({ object }) => object ?? []);
    items.push(...level);
    gaps.push(...looks.flatMap(({ gap }) => gap ?? []));
  }
  return { items, gaps };
}

function namedBy(object: KubeObject, direction: Direction): readonly ObjectRef[] {
  if (direction === 'dependents')
    return [claimedComposite(object), ...composedParts(object)].flatMap((part) => part?.ref ?? []);
  const { namespace, ownerReferences = [] } = object.metadata;
  const controllers = ownerReferences
    .filter(({ controller }) => controller === true)
    .map(({ apiVersion, kind, name }) => ({ group: groupOf(apiVersion), kind, namespace, name }));
  const claim = claimOf(object);
  return claim ? [...controllers, claim] : controllers;
}

interface Look {
  readonly object?: KubeObject | undefined;
  readonly gap?: {
    readonly kind: ObjectRef;
    readonly gap: { readonly what: string; readonly reason: string };
  };
}

async function look(reader: Pick<Reader, 'get'>, ref: ObjectRef, signal: AbortSignal): Promise<Look> {
  try {
    return { object: await reader.get(ref, ref.namespace, ref.name, signal) };
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    return { gap: { kind: ref, gap: { what: `${ref.kind} ${ref.name}`, reason } } };
  }
}
