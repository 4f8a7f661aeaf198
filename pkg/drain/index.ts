/**
 * What a drain meets: nodes, the OSDs on them, and how Ceph keeps copies apart. It looks, and changes nothing.
 *
 * Words: a *failure domain* is what Ceph keeps copies apart by. An OSD is *drained* when it is down and its node is
 * cordoned, out of service or gone; a node that is merely NotReady is broken. Ceph is *silent* when no answer came.
 */
export {
  orSilence,
  viewCeph,
  viewHealth,
  type CephView,
  type CrushLayout,
  type Health,
} from './ceph-view.ts';
export { requestedDomain } from './failure-domain.ts';
export { BUDGET, NODE, OSD_SELECTOR } from './kinds.ts';
export { nodeState } from './node-state.ts';
export { osdFacts, type OsdFacts, type OsdSources } from './osd-facts.ts';
