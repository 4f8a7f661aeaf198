import { Kinds, textAt, type KubeObject } from '#pkg/object';
import { storeOfBucket, storeOfBucketClass } from './bucket-store.ts';
import type { Lookup } from './lookup.ts';
import type { Reference, Rule } from './rule.ts';

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
    const found = object.kind === 'ObjectBucket' ? storeOfBucket(object) : storeOfClaim(object, lookup);
    if (found) yield found;
  },
};

function storeOfClaim(claim: KubeObject, lookup: Lookup): Reference | undefined {
  const bucketName = textAt(claim, 'spec', 'objectBucketName');
  const bucket = bucketName ? lookup.object(Kinds.ObjectBucket, undefined, bucketName) : undefined;
  const store = bucket && storeOfBucket(bucket);
  if (store) return { to: store.to, field: 'spec.objectBucketName' };
  const className = textAt(claim, 'spec', 'storageClassName');
  const storageClass = className ? lookup.object(Kinds.StorageClass, undefined, className) : undefined;
  const made = storageClass && storeOfBucketClass(storageClass);
  return made && { to: made.to, field: 'spec.storageClassName' };
}
