/**
 * StorageComposite and StorageClaim: storage that is handed out and given back as one unit, in the right order.
 *
 * Words: a composite is *composed* of *parts*, which its *templates* describe. A claim *has* a composite once both sides
 * say so; nobody else can have it then. The deletion of a claim takes its composite down, in the background or in the
 * foreground, where the claim stays until the last part is gone.
 */
export { claimAdmission, type ClaimAdmissionPorts } from './claim-admission.ts';
export { claimReconciler } from './claim-reconciler.ts';
export { compositeAdmission, type CompositeAdmissionPorts } from './composite-admission.ts';
export { compositeReconciler } from './composite-reconciler.ts';
export type { StorageClaimPorts } from './ports.ts';
export { StorageWatch, type Departed } from './watch.ts';
