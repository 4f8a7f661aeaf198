import { groupOf, refOf, type KubeObject, type OwnerReference } from '#pkg/object';
import type { Lookup } from './lookup.ts';
import type { Reference, Rule } from './rule.ts';

export const ownerReference: Rule = {
  code: 'RD030',
  title: 'An object that is owned',
  relation: 'is owned by',
  blocks: false,
  follows: true,
  reads: 'any',
  reading: 'metadata',
  targets: 'any',
  meaning: 'The object has an owner reference. The garbage collector deletes it once its last owner is gone.',
  remedy: [
    'Nothing has to be done before a deletion: an owned object goes with its owner. Make sure that it may.',
  ],
  references: (object, lookup) => owners(object, lookup, (owner) => !isUnawaited(owner)),
};

export const unawaitedOwned: Rule = {
  code: 'RD062',
  title: 'An object that a foreground deletion of its controller does not wait for',
  relation: 'is controlled, without blockOwnerDeletion, by',
  blocks: false,
  follows: true,
  reads: 'any',
  reading: 'metadata',
  targets: 'any',
  meaning:
    'The controller reference of the object lacks blockOwnerDeletion: true. With --cascade=foreground the garbage ' +
    'collector waits only for objects that have it: the controller may be gone before this object is.',
  remedy: [
    'Whoever made the reference should set blockOwnerDeletion: true.',
    'Until then, delete the object before its controller where the order matters.',
  ],
  references: (object, lookup) => owners(object, lookup, isUnawaited),
};

/** Only of controllers is it expected: other owners are often meant to let go at once. */
function isUnawaited({ controller, blockOwnerDeletion }: OwnerReference): boolean {
  return controller === true && blockOwnerDeletion !== true;
}

function* owners(
  object: KubeObject,
  lookup: Lookup,
  isWanted: (owner: OwnerReference) => boolean,
): Iterable<Reference> {
  for (const [at, owner] of (object.metadata.ownerReferences ?? []).entries()) {
    if (!isWanted(owner)) continue;
    const kind = { group: groupOf(owner.apiVersion), kind: owner.kind };
    const found =
      lookup.object(kind, object.metadata.namespace, owner.name) ??
      lookup.object(kind, undefined, owner.name);
    // Another object may have taken the owner's name since: only the UID tells.
    const replaced = found?.metadata.uid && owner.uid && found.metadata.uid !== owner.uid;
    if (found && !replaced) yield { to: refOf(found), field: `metadata.ownerReferences[${at}]` };
  }
}
