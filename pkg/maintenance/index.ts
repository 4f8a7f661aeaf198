/**
 * NodeMaintenance: a node is taken out of service and brought back without hurting Ceph.
 *
 * Words: a *request* says what somebody wants; the *ledger* is where it is written down, with how things were before and
 * what we changed. Pods go in *waves*, each only when nothing is in *conflict* with it: others who drain, data that would
 * stop to be served. *Recovery* takes back what we changed, and nothing else.
 */
export { maintenanceAdmission, type AdmissionPorts } from './admission.ts';
export { advance, type Advance, type MaintenancePorts } from './advance.ts';
export { configMapLedger, type CommandLedger } from './config-map-ledger.ts';
export { conflictsIn, type Conflict } from './conflicts.ts';
export { evictAll } from './evictions.ts';
export { glance } from './glance.ts';
export { isHiccup } from './hiccup.ts';
export { inquire, type InquiryPorts } from './inquiry.ts';
export type { Ledger } from './ledger.ts';
export {
  durationMs,
  MAINTENANCE,
  requestFields,
  type Maintenance,
  type MaintenanceRequest,
} from './maintenance.ts';
export { maintenanceNotes } from './notes.ts';
export { Observer } from './observe.ts';
export { planText } from './plan-text.ts';
export { WAVES, type DrainPod } from './pods.ts';
export { givenUp } from './recovery.ts';
export { maintenanceReconciler } from './reconciler.ts';
export { resourceLedger } from './resource-ledger.ts';
export { ownDomains, type Situation, type Surroundings } from './situation.ts';
export { NEW_STATUS, type Status } from './status.ts';
export { statusTable } from './status-table.ts';
export { MaintenanceWatch } from './watch.ts';
export { nooutWords } from './words.ts';
