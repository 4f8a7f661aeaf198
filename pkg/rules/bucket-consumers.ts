import { fieldAt, Kinds, listAt, textAt } from '#pkg/object';
import { refIn } from './ref-in.ts';
import type { Rule } from './rule.ts';

export const bucketClaim: Rule = {
  code: 'RD035',
  title: 'A claim that is bound to the bucket',
  relation: 'is bound to',
  blocks: true,
  reads: [Kinds.ObjectBucket],
  targets: [Kinds.ObjectBucket],
  names: Kinds.ObjectBucketClaim,
  meaning: 'An ObjectBucketClaim has the bucket.',
  remedy: ['Find the owner of the claim, save the objects, and delete the claim.'],
  *references(bucket) {
    const phase = textAt(bucket, 'status', 'phase');
    const from = refIn(Kinds.ObjectBucketClaim, fieldAt(bucket, 'spec', 'claimRef'));
    const to = { group: 'objectbucket.io', kind: 'ObjectBucket', name: bucket.metadata.name };
    if (from && phase !== 'Released') yield { from, to, field: 'spec.claimRef' };
  },
};

export const cosiBucketClaim: Rule = {
  code: 'RD036',
  title: 'A COSI claim that is bound to the bucket',
  relation: 'is bound to',
  blocks: true,
  reads: [Kinds.CosiBucket],
  targets: [Kinds.CosiBucket],
  names: Kinds.CosiBucketClaim,
  meaning: 'A BucketClaim has the bucket.',
  remedy: ['Find the owner of the BucketClaim, save the objects, and delete the claim.'],
  *references(bucket) {
    const to = { group: 'objectstorage.k8s.io', kind: 'Bucket', name: bucket.metadata.name };
    // v1alpha1 calls it bucketClaim, v1alpha2 bucketClaimRef.
    for (const field of ['bucketClaim', 'bucketClaimRef']) {
      const from = refIn(Kinds.CosiBucketClaim, fieldAt(bucket, 'spec', field));
      if (from) yield { from, to, field: `spec.${field}` };
    }
  },
};

export const cosiBucketAccess: Rule = {
  code: 'RD037',
  title: 'A COSI access to the claimed bucket',
  relation: 'gives access to',
  blocks: true,
  reads: [Kinds.CosiBucketAccess],
  targets: [Kinds.CosiBucketClaim],
  meaning: 'A BucketAccess gives a workload credentials for the bucket.',
  remedy: ['Delete the BucketAccess once the workload does not use it any more.'],
  *references(access) {
    const namespace = access.metadata.namespace;
    const to = { group: 'objectstorage.k8s.io', kind: 'BucketClaim', namespace };
    const name = textAt(access, 'spec', 'bucketClaimName');
    if (name) yield { to: { ...to, name }, field: 'spec.bucketClaimName' };
    for (const [at, claim] of listAt(access, 'spec', 'bucketClaims').entries()) {
      const listed = textAt(claim, 'bucketClaimName');
      if (listed) yield { to: { ...to, name: listed }, field: `spec.bucketClaims[${at}].bucketClaimName` };
    }
  },
};
