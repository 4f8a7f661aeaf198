import {
  groupOf,
  isRecord,
  listAt,
  refOf,
  textAt,
  fieldAt,
  type KubeObject,
  type ObjectRef,
} from '#pkg/object';
import type { Lookup } from './lookup.ts';
import type { Rule } from './rule.ts';

/** An object that a whole names as a part of it, and where it does. */
export interface Part {
  /** The namespace counts only if the kind has one. */
  readonly ref: ObjectRef;
  readonly field: string;
}

/** Where a whole lists what it is composed of: Crossplane's composites of both generations, and our own. */
const LISTS: readonly (readonly string[])[] = [
  ['spec', 'resourceRefs'],
  ['spec', 'crossplane', 'resourceRefs'],
  ['status', 'resources'],
];

/** What an object is composed of, as it says itself. */
export function* composedParts(object: KubeObject): Iterable<Part> {
  for (const path of LISTS) {
    for (const [at, item] of listAt(object, ...path).entries()) {
      const ref = namedIn(item, object.metadata.namespace);
      if (ref) yield { ref, field: `${path.join('.')}[${at}]` };
    }
  }
}

/** The composite that a claim says it has: Crossplane's, or ours. */
export function claimedComposite(object: KubeObject): Part | undefined {
  const ref = namedIn(fieldAt(object, 'spec', 'resourceRef'), object.metadata.namespace);
  if (ref) return { ref, field: 'spec.resourceRef' };
  const name = textAt(object, 'spec', 'compositeRef', 'name');
  if (object.kind !== 'StorageClaim' || groupOf(object.apiVersion) !== 'rook-deps.io' || !name)
    return undefined;
  return { ref: { group: 'rook-deps.io', kind: 'StorageComposite', name }, field: 'spec.compositeRef.name' };
}

/** The claim that a composite says it is bound to. */
export function claimOf(object: KubeObject): ObjectRef | undefined {
  return namedIn(fieldAt(object, 'spec', 'claimRef'), undefined);
}

function namedIn(value: unknown, here: string | undefined): ObjectRef | undefined {
  const apiVersion = textAt(value, 'apiVersion');
  const kind = textAt(value, 'kind');
  const name = textAt(value, 'name');
  if (!isRecord(value) || !apiVersion || !kind || !name) return undefined;
  return { group: groupOf(apiVersion), kind, name, namespace: textAt(value, 'namespace') ?? here };
}

function found({ group, kind, namespace, name }: ObjectRef, lookup: Lookup): KubeObject | undefined {
  const here = namespace === undefined ? undefined : lookup.object({ group, kind }, namespace, name);
  return here ?? lookup.object({ group, kind }, undefined, name);
}

export const composedResource: Rule = {
  code: 'RD060',
  title: 'A resource that a composite names, and does not own',
  relation: 'is composed by',
  blocks: false,
  reads: 'any',
  targets: 'any',
  meaning:
    'A composite of Crossplane or a StorageComposite lists the object among its resources, but the object has no owner ' +
    'reference to it. The garbage collector will leave it behind; a restored backup often looks like this.',
  remedy: [
    'Crossplane puts the reference back when it reconciles the composite; a StorageComposite takes back nothing that was released.',
    'Delete the object by hand after the composite, if it is not needed.',
  ],
  *references(object, lookup) {
    for (const { ref, field } of composedParts(object)) {
      const part = found(ref, lookup);
      const isOwned = part?.metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid);
      if (part && !isOwned) yield { from: refOf(part), to: refOf(object), field };
    }
  },
};

export const claimedWhole: Rule = {
  code: 'RD061',
  title: 'A composite that the claim has',
  relation: 'is claimed by',
  blocks: false,
  follows: true,
  reads: 'any',
  targets: 'any',
  meaning:
    'A claim of Crossplane or a StorageClaim is bound to the composite. Kubernetes does not let a namespaced object own ' +
    'one that has no namespace, so there is no owner reference: the controller deletes the composite with the claim.',
  remedy: [
    'Nothing has to be done before a deletion: the composite, and all it is composed of, goes with the claim.',
    'spec.compositeDeletePolicy: Foreground keeps the claim until all of it is gone.',
  ],
  *references(object, lookup) {
    const ref = claimOf(object);
    const claim = ref && found(ref, lookup);
    const claimed = claim && claimedComposite(claim)?.ref;
    const own = refOf(object);
    // A volume names its claim in the same field; only a claim of composites names its composite.
    const isMutual = claimed?.name === own.name && claimed.kind === own.kind && claimed.group === own.group;
    // Ours tells by the UID whether it is bound to this claim, or to an earlier one of the name.
    const bound = textAt(object, 'spec', 'claimRef', 'uid');
    const isMeant = bound === undefined || (claim?.metadata.uid ?? bound) === bound;
    if (claim && isMutual && isMeant) yield { to: refOf(claim), field: 'spec.claimRef' };
  },
};
