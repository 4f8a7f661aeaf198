/**
 * Typed questions to Ceph, and the parsers of its answers.
 *
 * Words: a *runner* runs the programs of Ceph somewhere; Ceph is *silent* when no answer came, which says nothing about
 * what is there. Placement groups are *settled* when every OSD has just reported. The *contents* of a resource are the
 * images, subvolumes and buckets that Ceph holds for it and that no Kubernetes object need mention.
 */
export { adminOps, type AdminOps } from './admin-ops.ts';
export { askedCeph, type AskedPorts } from './asked.ts';
export { ADMIN_OPS_USER, isExternal } from './object-store.ts';
export { boundedRunner, type Bound } from './bounded-runner.ts';
export type { ClusterStatus, MdsRank, Quorum, ServiceOpinion } from './cluster-state.ts';
export { cephClient, type Ceph, type RgwScope } from './client.ts';
export type { CephContents, Content, Contents } from './contents.ts';
export type { CrushNode, CrushRule, CrushTree } from './crush.ts';
export { execRunner, type ExecPorts } from './exec-runner.ts';
export { limitedCeph } from './limited.ts';
export { localRunner, type LocalOptions } from './local-runner.ts';
export type { CephPool, Osd, OsdMap } from './osd-map.ts';
export {
  CephSilent,
  isCephFailure,
  type CephCommand,
  type CephProgram,
  type CephRunner,
  type Finished,
} from './runner.ts';
export { mayChangeClusters, operatorHomes, operatorsOf } from './operators.ts';
export { operatorPods, proxyPods, toolboxPods } from './pods.ts';
export { forecastStop, type PlacementGroup, type StopForecast } from './pg-map.ts';
export { questionsAbout } from './questions.ts';
export { verifiedRunner } from './verified-runner.ts';
export { isClean, settledGroups, statesOf, type Settled } from './settled-groups.ts';
export { preferredCeph, skippedCeph, unaskedCeph } from './unasked.ts';
