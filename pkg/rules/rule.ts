import type { GroupKind, KubeObject, ObjectRef, ResourceType } from '#pkg/object';
import type { Lookup } from './lookup.ts';

/** What `explain` prints about a code. */
export interface CodePage {
  /** Stable for ever: scripts and runbooks name it. */
  readonly code: string;
  readonly title: string;
  readonly meaning: string;
  /** What to do about it, a step a line. */
  readonly remedy: readonly string[];
}

/** One object's mention of another. */
export interface Reference {
  readonly to: ObjectRef;
  /** Where the mention stands, as a path in the object that was read. */
  readonly field?: string;
  readonly detail?: string;
  /** The dependent, when it is not the object that was read: a volume names the claim bound to it. */
  readonly from?: ObjectRef;
  /** False when an escape of Rook's lifts this one mention. */
  readonly blocks?: false;
}

/** An object that must depend on some provider, and does not let anybody know on which. */
export interface Doubt {
  readonly doubt: string;
  /** The kinds the provider may have, when they are fewer than what the rule targets. */
  readonly about?: readonly GroupKind[];
}

/** A further kind whose objects a rule looks at to resolve what it reads. */
export interface Consultation {
  readonly kind: ResourceType;
  /** Its objects may live in any namespace. */
  readonly across?: true;
  readonly reading?: 'metadata';
  readonly labelSelector?: string;
  /** Look only when an object of this kind was found. */
  readonly ifAny?: GroupKind;
}

/** Says what objects of some kinds refer to. Adding one is a file, a line in the catalogue, and a test. */
export interface Rule extends CodePage {
  /** The verb between dependent and provider: "keeps its data in". */
  readonly relation: string;
  /** Whether a provider must stay while the dependent exists. */
  readonly blocks: boolean;
  /** The dependent is deleted along with the provider, by whoever looks after it. */
  readonly follows?: true;
  /** The kinds it reads. `any`: every object that is there anyway. */
  readonly reads: readonly ResourceType[] | 'any';
  /** Set when labels and owner references are all it reads. */
  readonly reading?: 'metadata';
  readonly targets: readonly ResourceType[] | 'any';
  /** The dependents may live in another namespace than the provider. */
  readonly across?: true;
  /** The dependent's kind, when the provider is what is read. */
  readonly names?: ResourceType;
  readonly consults?: readonly Consultation[];
  references(object: KubeObject, lookup: Lookup): Iterable<Reference | Doubt>;
  /** Whether an escape of Rook's lifts all its mentions of this provider, and so its doubts. */
  lifts?(provider: ObjectRef, lookup: Lookup): boolean;
}
