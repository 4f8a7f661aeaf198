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

/** Rook labels the Secrets of users with the store they belong to. */
export const STORE_LABEL = 'rook_object_store';

/** The store that the label of a Secret names. */
export function storeLabelOf(object: KubeObject): string | undefined {
  if (object.kind !== 'Secret' || refOf(object).group !== '') return undefined;
  return textAt(object.metadata.labels, STORE_LABEL);
}
