import { refOf, textAt, type KubeObject } from '#pkg/object';

/** Where Rook puts the credentials of an object store user. */
export function userSecretOf(
  object: KubeObject,
): { readonly namespace: string; readonly name: string } | undefined {
  if (object.kind !== 'CephObjectStoreUser' || refOf(object).group !== 'ceph.rook.io') return undefined;
  const store = textAt(object, 'spec', 'store');
  if (!store) return undefined;
  return {
    namespace: object.metadata.namespace ?? '',
    name: `rook-ceph-object-user-${store}-${object.metadata.name}`,
  };
}
