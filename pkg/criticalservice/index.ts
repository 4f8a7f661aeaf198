/**
 * CriticalService: what serves the finalizers and webhooks of others is not deleted before they are gone.
 *
 * Words: a service names a *provider*, a Deployment as a rule, and *criteria*: finalizers that no object may have any
 * more, objects that must be gone. How a criterion *stands* is met, unmet or unknown. Provider and namespace are *marked*
 * with a label. A refused deletion is an *attempt*; once it is *due*, it may be *replayed*.
 */
export { criticalServiceAdmission, type CriticalAdmissionPorts } from './critical-admission.ts';
export { criticalGuard, type CriticalGuardPorts } from './critical-guard.ts';
export {
  CRITICAL_LABEL,
  CRITICAL_SERVICE,
  DEFINITION,
  parseCriticalService,
  type CriticalService,
  type Criterion,
  type DeletionPolicy,
} from './critical-service.ts';
export { CriticalWatch } from './critical-watch.ts';
export { currentHolders } from './current-holders.ts';
export type { CriticalServicePorts } from './holding.ts';
export { isMarkedFor } from './marks.ts';
export {
  additionTo,
  madeBefore,
  newCriticalService,
  type NewCriticalService,
} from './new-critical-service.ts';
export { isRookOperator, operatorCriteria } from './operator.ts';
export { criticalServiceReconciler } from './reconciler.ts';
export { refusalRecorder } from './record-refusal.ts';
export { ANY_TYPE, nameOf, providesFor } from './resources.ts';
