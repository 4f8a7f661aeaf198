import { groupOf, isTerminating, type KubeObject, type OwnerReference, type Reader } from '#pkg/object';

type Going = (owner: OwnerReference) => boolean;

/** Tells whether an owner is one of these objects. Manifests may have no UIDs. */
export function amongThese(objects: readonly KubeObject[]): Going {
  const named = (apiVersion: string, kind: string, name: string): string =>
    `${groupOf(apiVersion)}/${kind}/${name}`;
  const known = new Set(
    objects.map(({ apiVersion, kind, metadata }) => metadata.uid ?? named(apiVersion, kind, metadata.name)),
  );
  return ({ apiVersion, kind, name, uid }) => known.has(uid) || known.has(named(apiVersion, kind, name));
}

/** Who else owns an object, is there and does not go: the garbage collector then leaves the object alone. */
export async function otherOwnerOf(
  { metadata: { namespace, ownerReferences = [] } }: KubeObject,
  isGoing: Going,
  reader: Pick<Reader, 'get'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const owner of ownerReferences) {
    if (isGoing(owner)) continue;
    const { apiVersion, kind, name, uid } = owner;
    const found = await reader.get({ group: groupOf(apiVersion), kind }, namespace, name, signal);
    // Another object of this name owns nothing.
    if (found && !isTerminating(found) && (found.metadata.uid ?? uid) === uid) return `${kind}/${name}`;
  }
  return undefined;
}
