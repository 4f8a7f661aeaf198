import { POOL_KINDS } from '#pkg/drain';
import { Kinds, type GroupKind } from '#pkg/object';

/** Resources that make pools or daemons. */
export const SERVICES: readonly GroupKind[] = [
  ...POOL_KINDS,
  Kinds.CephRBDMirror,
  Kinds.CephFilesystemMirror,
];

/** Pods whose coming and going changes what may be drained. */
export const DAEMON_SELECTOR = 'app in (rook-ceph-osd,rook-ceph-mon)';
