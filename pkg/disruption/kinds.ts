import { Kinds, type GroupKind } from '#pkg/object';

export const NODE: GroupKind = { group: '', kind: 'Node' };
export const BUDGET: GroupKind = { group: 'policy', kind: 'PodDisruptionBudget' };

/** Resources that make pools or daemons. */
export const SERVICES: readonly GroupKind[] = [
  Kinds.CephBlockPool,
  Kinds.CephFilesystem,
  Kinds.CephObjectStore,
  Kinds.CephObjectZone,
  Kinds.CephRBDMirror,
];

export const OSD_SELECTOR = 'app=rook-ceph-osd';
/** Pods whose coming and going changes what may be drained. */
export const DAEMON_SELECTOR = 'app in (rook-ceph-osd,rook-ceph-mon)';
