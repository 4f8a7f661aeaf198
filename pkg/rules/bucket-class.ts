import { Kinds } from '#pkg/object';
import { storeOfBucketClass } from './bucket-store.ts';
import type { Rule } from './rule.ts';

export const bucketClass: Rule = {
  code: 'RD022',
  title: 'A StorageClass for buckets in the object store',
  relation: 'provisions buckets in',
  blocks: false,
  reads: [Kinds.StorageClass],
  targets: [Kinds.CephObjectStore],
  meaning: 'New buckets claimed through this class are made in the object store.',
  remedy: [
    'Nothing has to be done before a deletion: a StorageClass does not block.',
    'Bucket claims that name the class will stay Pending once the store is gone.',
  ],
  *references(storageClass) {
    const found = storeOfBucketClass(storageClass);
    if (found) yield found;
  },
};
