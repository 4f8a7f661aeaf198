import { groupOf, refOf } from '#pkg/object';
import type { Rule } from './rule.ts';

export const ownerReference: Rule = {
  code: 'RD030',
  title: 'An object that is owned',
  relation: 'is owned by',
  blocks: false,
  reads: 'any',
  reading: 'metadata',
  targets: 'any',
  meaning: 'The object has an owner reference. The garbage collector deletes it once its last owner is gone.',
  remedy: [
    'Nothing has to be done before a deletion: an owned object goes with its owner. Make sure that it may.',
  ],
  *references(object, lookup) {
    for (const [at, owner] of (object.metadata.ownerReferences ?? []).entries()) {
      const kind = { group: groupOf(owner.apiVersion), kind: owner.kind };
      const found =
        lookup.object(kind, object.metadata.namespace, owner.name) ??
        lookup.object(kind, undefined, owner.name);
      // Another object may have taken the owner's name since: only the UID tells.
      const replaced = found?.metadata.uid && owner.uid && found.metadata.uid !== owner.uid;
      if (found && !replaced) yield { to: refOf(found), field: `metadata.ownerReferences[${at}]` };
    }
  },
};
