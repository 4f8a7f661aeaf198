import { Kinds, textAt, type KubeObject } from '#pkg/object';
import { isBucketOfRook, storeOfBucket, storeOfOwnClass } from './bucket-store.ts';
import type { Doubt, Reference, Rule } from './rule.ts';
import type { Lookup } from './lookup.ts';
import { UNPLACED } from './unplaced.ts';

export const objectBucket: Rule = {
  code: 'RD025',
  title: 'A bucket, or a claim to one, in the object store',
  relation: 'keeps its objects in',
  blocks: true,
  reads: [Kinds.ObjectBucket, Kinds.ObjectBucketClaim],
  targets: [Kinds.CephObjectStore],
  across: true,
  consults: [{ kind: Kinds.StorageClass }],
  meaning:
    'An ObjectBucketClaim has, or waits for, a bucket in the store; the ObjectBucket stands for the bucket itself. ' +
    'Deleting the store destroys the objects in it.',
  remedy: [
    'Find the owner of the claim, save the objects, and delete the claim.',
    'A bucket with reclaim policy Retain stays after its claim: remove it with the tools of Ceph.',
  ],
  *references(object, lookup) {
    yield* object.kind === 'ObjectBucket' ? ofBucket(object, lookup) : ofClaim(object, lookup);
  },
};

function* ofBucket(bucket: KubeObject, lookup: Lookup): Iterable<Reference | Doubt> {
  const store = storeOfBucket(bucket, lookup);
  if (store) yield store;
  else if (isBucketOfRook(bucket, lookup)) yield UNPLACED;
}

/** A claim goes where its bucket is; without one, where its class will make it. */
function* ofClaim(claim: KubeObject, lookup: Lookup): Iterable<Reference | Doubt> {
  const bucketName = textAt(claim, 'spec', 'objectBucketName');
  const bucket = bucketName ? lookup.object(Kinds.ObjectBucket, undefined, bucketName) : undefined;
  const store = bucket && storeOfBucket(bucket, lookup);
  const made = store ? undefined : storeOfOwnClass(claim, lookup);
  if (store) yield { to: store.to, field: 'spec.objectBucketName' };
  else if (made) yield made;
  // A bucket that is there is in doubt itself.
  else if (!bucket && isBucketOfRook(claim, lookup)) yield UNPLACED;
}
