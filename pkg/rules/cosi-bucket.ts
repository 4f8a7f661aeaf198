import { Kinds, recordAt, textAt } from '#pkg/object';
import type { Rule } from './rule.ts';

const STORE_LABEL = 'rook_object_store';

/** A COSI bucket names only the Secret of the user that owns it; the user, or the Secret's label, leads to the store. */
export const cosiBucket: Rule = {
  code: 'RD026',
  title: 'A COSI bucket in the object store',
  relation: 'keeps its objects in',
  blocks: true,
  reads: [Kinds.CosiBucket],
  targets: [Kinds.CephObjectStore],
  across: true,
  consults: [
    { kind: Kinds.CephObjectStoreUser, across: true },
    {
      kind: Kinds.Secret,
      across: true,
      reading: 'metadata',
      labelSelector: STORE_LABEL,
      ifAny: Kinds.CosiBucket,
    },
  ],
  meaning:
    'A Bucket of the Container Object Storage Interface is a bucket in the store. Deleting the store destroys it.',
  remedy: ['Find the owner of the BucketClaim, save the objects, and delete the BucketClaim.'],
  *references(bucket, lookup) {
    const parameters = recordAt(bucket, 'spec', 'parameters');
    const secretName = textAt(parameters, 'objectStoreUserSecretName');
    const secretNamespace = textAt(parameters, 'objectStoreUserSecretNamespace');
    if (!secretName || !secretNamespace) return;
    const field = 'spec.parameters.objectStoreUserSecretName';
    const secret = lookup.object(Kinds.Secret, secretNamespace, secretName);
    const labels = secret?.metadata.labels ?? {};
    const users = lookup.usersWithSecret(secretNamespace, secretName);
    for (const user of users) {
      const name = textAt(user, 'spec', 'store');
      const namespace = textAt(user, 'spec', 'clusterNamespace') ?? user.metadata.namespace;
      if (name) yield { to: { group: 'ceph.rook.io', kind: 'CephObjectStore', namespace, name }, field };
    }
    const name = labels[STORE_LABEL];
    if (users.length > 0 || !name) return;
    yield { to: { group: 'ceph.rook.io', kind: 'CephObjectStore', namespace: secretNamespace, name }, field };
  },
};
