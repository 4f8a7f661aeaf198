import {
  isTerminating,
  keyOf,
  kindKey,
  listAt,
  refOf,
  textAt,
  type KubeObject,
  type Reader,
} from '#pkg/object';

/** An object that is not gone yet, and what it waits for. */
export interface Remaining {
  readonly object: KubeObject;
  readonly why: string;
}

/** More than this of a kind are listed rather than asked for one by one. */
const MAX_ASKED = 10;

/** Those of the objects that are still there; another one under the same name does not count. */
export async function stillThere(
  objects: readonly KubeObject[],
  reader: Pick<Reader, 'get' | 'list'>,
  signal: AbortSignal,
): Promise<readonly Remaining[]> {
  const groups = Map.groupBy(
    objects,
    (object) => `${kindKey(refOf(object))} ${object.metadata.namespace ?? ''}`,
  );
  const found = await Promise.all([...groups.values()].map((group) => lookAt(group, reader, signal)));
  const byKey = new Map(found.flat().map((object) => [keyOf(refOf(object)), object]));
  return objects.flatMap((object) => {
    const now = byKey.get(keyOf(refOf(object)));
    return now && now.metadata.uid === object.metadata.uid ? [{ object: now, why: whyThere(now) }] : [];
  });
}

async function lookAt(
  group: readonly KubeObject[],
  reader: Pick<Reader, 'get' | 'list'>,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const [first] = group;
  if (first && group.length > MAX_ASKED) {
    const { namespace } = first.metadata;
    const { items, gaps } = await reader.list({ kind: refOf(first), namespace, detail: 'object' }, signal);
    if (gaps.length === 0) return items;
  }
  const found = await Promise.all(
    group.map((object) => reader.get(refOf(object), object.metadata.namespace, object.metadata.name, signal)),
  );
  return found.filter((object) => object !== undefined);
}

function whyThere(object: KubeObject): string {
  if (!isTerminating(object)) return 'is not being deleted yet';
  const finalizers = object.metadata.finalizers ?? [];
  const blocked = listAt(object, 'status', 'conditions').flatMap((condition) => {
    const isTrue = textAt(condition, 'status') === 'True';
    const isAboutIt = /Deleti(on|ng)/.test(textAt(condition, 'type') ?? '') && isTrue;
    // As our claims say it, under Ready.
    const isToldOf = textAt(condition, 'reason') === 'Deleting' && !isTrue;
    return isAboutIt || isToldOf ? (textAt(condition, 'message') ?? []) : [];
  });
  const held = finalizers.length > 0 ? [`held by ${finalizers.join(', ')}`] : [];
  return [...held, ...blocked].join(': ') || 'is terminating';
}
