import { kindKey, refOf, textAt, type GroupKind, type KubeObject, type ObjectKey } from '#pkg/object';
import { clusterIdsOf } from './csi-cluster-id.ts';
import { cephPoolsOf } from './ceph-pools.ts';
import { storeLabelOf, userSecretOf } from './object-user-secret.ts';

/** Answers a rule's questions about the other objects. Every question is remembered, so an answer that changes is asked again. */
export interface Lookup {
  object(kind: GroupKind, namespace: string | undefined, name: string): KubeObject | undefined;
  ofKind(kind: GroupKind, namespace: string | undefined): readonly KubeObject[];
  /** The custom resources that own a pool of this name inside Ceph. */
  poolOwners(namespace: string, cephPool: string): readonly KubeObject[];
  /** Whatever gives a meaning to a CSI clusterID: client profiles, rados namespaces, subvolume groups. */
  bearersOfClusterId(clusterId: string): readonly KubeObject[];
  volumesWithHandle(volumeHandle: string): readonly KubeObject[];
  /** The object store users whose credentials are in this Secret; in a Secret of this name anywhere without a namespace. */
  usersWithSecret(namespace: string | undefined, name: string): readonly KubeObject[];
  /** The Secrets of this name, in any namespace, that Rook has labelled with a store. */
  secretsOfStores(name: string): readonly KubeObject[];
}

/** A question as text; objects that answer it are filed under the same text. */
export type Topic = string;

export const Topics = {
  object: (key: ObjectKey): Topic => `object ${key}`,
  ofKind: (kind: GroupKind, namespace: string | undefined): Topic =>
    `kind ${kindKey(kind)} ${namespace ?? ''}`,
  poolOwners: (namespace: string, pool: string): Topic => `pool ${namespace}/${pool}`,
  clusterId: (id: string): Topic => `clusterID ${id}`,
  volumeHandle: (handle: string): Topic => `handle ${handle}`,
  userSecret: (namespace: string | undefined, name: string): Topic =>
    namespace === undefined ? `user-secret ${name}` : `user-secret ${namespace}/${name}`,
  storeSecret: (name: string): Topic => `store-secret ${name}`,
};

/** Every question this object is an answer to, besides the one for it by name. */
export function* topicsOf(object: KubeObject): Iterable<Topic> {
  const ref = refOf(object);
  yield Topics.ofKind(ref, ref.namespace);
  for (const pool of cephPoolsOf(object)) yield Topics.poolOwners(ref.namespace ?? '', pool);
  for (const id of clusterIdsOf(object)) yield Topics.clusterId(id);
  if (object.kind === 'PersistentVolume') {
    const handle = textAt(object, 'spec', 'csi', 'volumeHandle');
    if (handle) yield Topics.volumeHandle(handle);
  }
  const secret = userSecretOf(object);
  if (secret) {
    yield Topics.userSecret(secret.namespace, secret.name);
    yield Topics.userSecret(undefined, secret.name);
  }
  if (storeLabelOf(object)) yield Topics.storeSecret(object.metadata.name);
}
