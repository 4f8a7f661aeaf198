/**
 * Rook's resources are not deleted while anything depends on them.
 *
 * Words: what depends on a resource *holds* it and is a *blocker*; a *finding* is all blockers of one resource, with
 * what could not be looked at. The *watch* finds from a cache, which may be late; a *look* finds out how things are now.
 * With a namespace, or the definition of a kind, resources *go along*; the namespace is *marked* while any of them is held from
 * outside. A deletion that got past the webhook is held by the finalizer and *reported*, until it is *released*.
 */
export { creationHandler, type CreationPorts } from './creation.ts';
export { dependentsGuard, type DependentsGuardPorts } from './guard.ts';
export { dependentsReconciler, isDue, type DependentsPorts } from './reconciler.ts';
export { DependentsWatch } from './watch.ts';
export { drainReconciler, type DrainPorts } from './drain.ts';
export { findNow } from './find-now.ts';
export { sharedCensus } from './shared-census.ts';
export { sharedContents } from './shared-contents.ts';
export { sparingDestroyed } from './destroyed.ts';
export { sharedLooks } from './shared-looks.ts';
export { verifiedFinder, type VerifiedPorts } from './verified.ts';
export { withContents, type ContentsPorts } from './contents.ts';
export { NamespaceMarks, type NamespaceMarkPorts } from './namespace-marks.ts';
export { Namespaces } from './namespaces.ts';
export type { Blocker, Finding } from './finding.ts';
