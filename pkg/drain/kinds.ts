import type { GroupKind } from '#pkg/object';

export const NODE: GroupKind = { group: '', kind: 'Node' };
export const BUDGET: GroupKind = { group: 'policy', kind: 'PodDisruptionBudget' };

export const OSD_SELECTOR = 'app=rook-ceph-osd';
