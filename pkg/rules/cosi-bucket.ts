import { keyOf, Kinds, recordAt, textAt, type KubeObject, type ObjectRef } from '#pkg/object';
import type { Lookup } from './lookup.ts';
import { STORE_LABEL, storeLabelOf } from './object-user-secret.ts';
import type { Rule } from './rule.ts';
import { UNPLACED } from './unplaced.ts';

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
    const name = textAt(parameters, 'objectStoreUserSecretName');
    const namespace = textAt(parameters, 'objectStoreUserSecretNamespace');
    const stores = name ? storesOfSecret(namespace, name, lookup) : [];
    // Without a namespace the driver takes its own, which nobody tells us: several stores leave it open.
    const isOpen = namespace === undefined && stores.length > 1;
    for (const to of isOpen ? [] : stores) yield { to, field: 'spec.parameters.objectStoreUserSecretName' };
    if (isOfRook(bucket) && (isOpen || stores.length === 0)) yield UNPLACED;
  },
};

function isOfRook(bucket: KubeObject): boolean {
  return /^(?:.+\.)?ceph\.objectstorage\.k8s\.io$/.test(textAt(bucket, 'spec', 'driverName') ?? '');
}

/** The stores of the users whose Secret it is; without such a user, those of the Secret's label. */
function storesOfSecret(
  secretNamespace: string | undefined,
  secretName: string,
  lookup: Lookup,
): readonly ObjectRef[] {
  const users = lookup.usersWithSecret(secretNamespace, secretName);
  const secrets =
    secretNamespace === undefined
      ? lookup.secretsOfStores(secretName)
      : [lookup.object(Kinds.Secret, secretNamespace, secretName)].filter((secret) => secret !== undefined);
  const stores = users.length > 0 ? users.map(storeOfUser) : secrets.map(storeOfLabel);
  const known = stores.filter((store) => store !== undefined);
  return [...new Map(known.map((store) => [keyOf(store), store])).values()];
}

function storeOfUser(user: KubeObject): ObjectRef | undefined {
  const namespace = textAt(user, 'spec', 'clusterNamespace') ?? user.metadata.namespace;
  return storeRef(namespace, textAt(user, 'spec', 'store'));
}

function storeOfLabel(secret: KubeObject): ObjectRef | undefined {
  return storeRef(secret.metadata.namespace, storeLabelOf(secret));
}

function storeRef(namespace: string | undefined, name: string | undefined): ObjectRef | undefined {
  return name ? { group: 'ceph.rook.io', kind: 'CephObjectStore', namespace, name } : undefined;
}
