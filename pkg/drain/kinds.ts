import { Kinds, type GroupKind, type KubeObject } from '#pkg/object';

export const NODE: GroupKind = Kinds.Node;
export const BUDGET: GroupKind = Kinds.PodDisruptionBudget;
/** Resources that say over what the copies of their pools are spread. */
export const POOL_KINDS: readonly GroupKind[] = [
  Kinds.CephBlockPool,
  Kinds.CephFilesystem,
  Kinds.CephObjectStore,
  Kinds.CephObjectZone,
];
export const OSD_SELECTOR = 'app=rook-ceph-osd';
/** The label with the number of an OSD. */
export const OSD_ID = 'ceph-osd-id';
/** The budget over all OSDs; those of a failure domain begin with its name. */
export const DEFAULT_BUDGET = 'rook-ceph-osd';

/** Of a cluster stretched over two sites, the third monitor goes from node to node, and has a name of its own. */
const MONITORS = ['rook-ceph-mon', 'rook-ceph-floating-mon'];

export function isMonitor({ metadata }: KubeObject): boolean {
  return MONITORS.includes(metadata.labels?.['app'] ?? '');
}
