/**
 * What a drain meets: nodes, the OSDs on them, budgets, and how Ceph keeps copies apart. It looks, and changes nothing.
 *
 * Words: a *failure domain* is what Ceph keeps copies apart by. An OSD is *drained* when it is down and its node is
 * cordoned, out of service or gone; a node that is merely NotReady is broken. Ceph is *silent* when no answer came. A
 * *hold* is a budget that keeps pods where they are, and why.
 */
export {
  orSilence,
  viewCeph,
  viewHealth,
  type CephView,
  type CrushLayout,
  type Health,
} from './ceph-view.ts';
export {
  parseRookState,
  parseState,
  ROOK_STATE_NAME,
  STATE_KEY,
  STATE_NAME,
  type DrainState,
  type NooutRecord,
} from './drain-state.ts';
export { DRAIN_KINDS, inquireDrains } from './inquiry.ts';
export { isReadyPod } from './eviction.ts';
export type { LookPorts } from './cluster-look.ts';
export { requestedDomain, rooksDomain } from './failure-domain.ts';
export { holdsForGood, holdsOn, isBlocking, type DrainPicture, type Hold } from './holds.ts';
export { BUDGET, DEFAULT_BUDGET, isMonitor, NODE, OSD_ID, OSD_SELECTOR, POOL_KINDS } from './kinds.ts';
export { nodeState } from './node-state.ts';
export { viewOsds } from './osd-view.ts';
export { HOSTNAME, osdFacts, REPLACING, type OsdFacts, type OsdSources } from './osd-facts.ts';
export { drainSettings, type DrainSettings } from './settings.ts';
export { domainWords, groupWords, listed } from './words.ts';
