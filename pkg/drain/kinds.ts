import type { GroupKind } from '#pkg/object';

export const NODE: GroupKind = { group: '', kind: 'Node' };
export const BUDGET: GroupKind = { group: 'policy', kind: 'PodDisruptionBudget' };
export const OSD_SELECTOR = 'app=rook-ceph-osd';
/** The label with the number of an OSD. */
export const OSD_ID = 'ceph-osd-id';
/** The budget over all OSDs; those of a failure domain begin with its name. */
export const DEFAULT_BUDGET = 'rook-ceph-osd';
