/**
 * What Rook, CSI and bucket objects refer to.
 *
 * Words: a *rule* reads objects of some kinds and yields *references*, or a *doubt* where an object
 * must depend on something and does not tell on what; a *lookup* answers its questions about other
 * objects ("who owns the Ceph pool of this name?"); the *dependency index* keeps objects, answers and edges together;
 * *needs* say which kinds must be looked at to answer a question. `catalogue.ts` lists all rules by their codes.
 */
export {
  CODE_PAGES,
  FOLLOWING_CODES,
  HOLDING_CODES,
  LEAVING_CODES,
  OWNED_CODES,
  RULES,
} from './catalogue.ts';
export { contentWords } from './ceph-contents.ts';
export { claimedComposite, claimOf, composedParts, type Part } from './composition.ts';
export { cephDriver } from './csi-volume.ts';
export { DependencyIndex, type DoubtAbout } from './dependency-index.ts';
export { essentialsOf } from './essentials.ts';
export { knowsDependentsOf } from './known-dependents.ts';
export {
  needsOfGraph,
  needsOfTree,
  needsOfVerdict,
  NEEDS_OF_CONSUMERS,
  NEEDS_OF_PROTECTIONS,
  type Need,
  type Start,
} from './needs.ts';
export type { CodePage, Consultation, Doubt, Reference, Rule } from './rule.ts';
export type { Lookup } from './lookup.ts';
