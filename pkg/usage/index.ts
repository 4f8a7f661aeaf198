/**
 * Usage and ClusterUsage: an object that somebody needs is not deleted.
 *
 * Words: a usage says that an object is *used* (`of`), perhaps *by* another one. It *holds* the used object from the
 * moment the object is *marked* with a label, which brings its deletion before the webhook, until the usage is
 * *released*. A refused deletion is an *attempt*; after the release it may be *replayed*.
 */
export { usageAdmission } from './usage-admission.ts';
export { usageGuard, type UsageGuardPorts } from './usage-guard.ts';
export { usageReconciler, type UsagePorts } from './reconciler.ts';
export { CLUSTER_USAGE, FINALIZER, parseUsage, readyCondition, USAGE, type Usage } from './usage.ts';
export { IN_USE_LABEL } from '#pkg/protection';
export { holdersOf, usagesOf } from './holders.ts';
export { newUsage, type NewUsage } from './new-usage.ts';
export { recordAttempts } from './record-attempts.ts';
export { UsageWatch } from './usage-watch.ts';
export type { UsageAdmissionPorts } from './usage-admission.ts';
