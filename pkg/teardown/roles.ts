import { isRookKind, Kinds, refOf, sameKind, textAt, type GroupKind, type KubeObject } from '#pkg/object';

/**
 * What becomes of a dependent: `part` is deleted; `data` belongs to users, and is deleted only when they say so; `user`
 * is at work and must be stopped first; `protection` says that something must stay; the rest is not ours to delete.
 */
export type Role = 'part' | 'data' | 'user' | 'protection' | 'other';

const ROLES: readonly (readonly [Role, readonly GroupKind[]])[] = [
  ['part', [Kinds.StorageClass]],
  [
    'data',
    [
      Kinds.PersistentVolume,
      Kinds.PersistentVolumeClaim,
      Kinds.VolumeSnapshot,
      Kinds.VolumeSnapshotContent,
      Kinds.ObjectBucket,
      Kinds.ObjectBucketClaim,
      Kinds.CosiBucket,
      Kinds.CosiBucketClaim,
      Kinds.CosiBucketAccess,
    ],
  ],
  ['user', [Kinds.Pod, Kinds.VolumeAttachment]],
  ['protection', [Kinds.Usage, Kinds.ClusterUsage]],
];

export function roleOf(kind: GroupKind): Role {
  if (isRookKind(kind)) return 'part';
  return ROLES.find(([, kinds]) => kinds.some((known) => sameKind(known, kind)))?.[0] ?? 'other';
}

/** Where a volume, snapshot or bucket says what happens to it when its claim is deleted. */
const POLICIES: readonly (readonly [GroupKind, string])[] = [
  [Kinds.PersistentVolume, 'persistentVolumeReclaimPolicy'],
  [Kinds.VolumeSnapshotContent, 'deletionPolicy'],
  [Kinds.CosiBucket, 'deletionPolicy'],
  [Kinds.ObjectBucket, 'reclaimPolicy'],
];

/**
 * Whether a driver removes the object, and what it stands for in Ceph, once its claim is gone. To delete it ourselves
 * might leave the image behind.
 */
export function goesWithClaim(object: KubeObject): boolean {
  // Its provisioner removes the bucket object whatever the policy.
  return sameKind(refOf(object), Kinds.ObjectBucket) || policyOf(object) === 'Delete';
}

/** Whether the claim of a volume is gone, and its driver at work on it. */
export function isReleased(object: KubeObject): boolean {
  const phase = textAt(object, 'status', 'phase');
  return sameKind(refOf(object), Kinds.PersistentVolume) && (phase === 'Released' || phase === 'Failed');
}

/** Whether its data stays in Ceph after the object is gone. */
export function isRetained(object: KubeObject): boolean {
  return policyOf(object) === 'Retain';
}

function policyOf(object: KubeObject): string | undefined {
  const policy = POLICIES.find(([known]) => sameKind(known, refOf(object)));
  return policy && textAt(object, 'spec', policy[1]);
}
