import { Kinds, textAt } from '#pkg/object';
import type { Rule } from './rule.ts';

/** Users may live in other namespaces than their store; Rook sees only those in the same one. */
export const objectUserStore: Rule = {
  code: 'RD004',
  title: 'A user of the object store',
  relation: 'is a user of',
  blocks: true,
  reads: [Kinds.CephObjectStoreUser],
  targets: [Kinds.CephObjectStore],
  across: true,
  meaning:
    'A CephObjectStoreUser has its credentials and its buckets in the store. The user may live in another namespace ' +
    '(spec.clusterNamespace), where Rook does not look for it.',
  remedy: [
    'Make sure nobody needs the user, then delete it: kubectl delete cephobjectstoreuser NAME -n NAMESPACE',
    'A user that owns buckets is held by the gateway until the buckets are gone.',
  ],
  *references(user) {
    const name = textAt(user, 'spec', 'store');
    const namespace = textAt(user, 'spec', 'clusterNamespace') ?? user.metadata.namespace;
    if (name)
      yield { to: { group: 'ceph.rook.io', kind: 'CephObjectStore', namespace, name }, field: 'spec.store' };
  },
};
