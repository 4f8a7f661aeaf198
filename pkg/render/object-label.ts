import { groupOf, type ObjectRef } from '#pkg/object';
import type { ObjectName } from '#pkg/verdict';
import { printable } from './printable.ts';

/** As `kubectl get -o name` writes it: `cephblockpool.ceph.rook.io/replicapool`. */
export function resourceName({ apiVersion, kind, name }: ObjectName): string {
  const group = groupOf(apiVersion);
  return printable(`${kind.toLowerCase()}${group ? `.${group}` : ''}/${name}`);
}

/** `CephNFS/my-nfs`, with the namespace in front of the name where it is not the one the reader has in mind. */
export function objectLabel(
  { kind, namespace, name }: Omit<ObjectRef, 'group'>,
  here: string | undefined,
): string {
  return printable(namespace && namespace !== here ? `${kind}/${name} (${namespace})` : `${kind}/${name}`);
}
