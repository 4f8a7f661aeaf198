import { expect, test } from 'vitest';
import { Kinds, ROOK_KINDS } from '#pkg/object';
import { knowsDependentsOf } from './known-dependents.ts';

test.for([
  ...ROOK_KINDS,
  Kinds.PersistentVolume,
  Kinds.PersistentVolumeClaim,
  Kinds.StorageClass,
  Kinds.VolumeSnapshotContent,
  Kinds.VolumeSnapshot,
  Kinds.VolumeAttachment,
  Kinds.Pod,
  Kinds.ObjectBucket,
  Kinds.ObjectBucketClaim,
  Kinds.CosiBucket,
  Kinds.CosiBucketClaim,
  Kinds.CosiBucketAccess,
])('what depends on a $kind is known', (kind) => {
  expect(knowsDependentsOf(kind)).toBe(true);
});

test.for([
  { group: '', kind: 'Namespace' },
  { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' },
  { group: 'other.example', kind: 'CephBlockPool' },
  { group: 'ceph.rook.io', kind: 'CephNovelty' },
  Kinds.ClientProfile,
  Kinds.Secret,
  Kinds.Deployment,
])('what depends on a $kind of "$group" is not known', (kind) => {
  expect(knowsDependentsOf(kind)).toBe(false);
});
