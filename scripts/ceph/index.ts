/** A real Ceph for tests: how its programs are had, started and stopped. */
export { startCeph, type CephCluster } from './cluster.ts';
export type { Gateway } from './gateway.ts';
export { THREE_ZONES, type CephOptions, type OsdPlace } from './layout.ts';
export { ensureCeph } from './programs.ts';
