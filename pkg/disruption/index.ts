/**
 * PodDisruptionBudgets that let a node be drained without hurting Ceph, where Rook does not see to it.
 *
 * Words: a *failure domain* is what Ceph keeps copies apart by; the *default* budget lets any one OSD go, *blocking*
 * budgets hold all domains but the one that *drains*. An OSD is *drained* when it is down and its node is cordoned, out of
 * service or gone. *noout* keeps Ceph from moving the data of OSDs that will be back.
 */
export { CephPulse } from './ceph-pulse.ts';
export { DisruptionWatch } from './disruption-watch.ts';
export type { DisruptionPorts } from './ports.ts';
export { disruptionReconciler } from './reconciler.ts';
