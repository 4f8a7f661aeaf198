import { Kinds, recordAt, textAt, type KubeObject, type ObjectRef } from '#pkg/object';
import type { Lookup } from './lookup.ts';

/** A store, and the field that leads to it. */
export interface StoreFound {
  readonly to: ObjectRef;
  readonly field: string;
}

const store = (namespace: string, name: string): ObjectRef => ({
  group: 'ceph.rook.io',
  kind: 'CephObjectStore',
  namespace,
  name,
});

const GATEWAY = /^(?:https?:\/\/)?rook-ceph-rgw-([^.:/]+)\.([^.:/]+)(?:\.svc(?:\.[^:/]+)?)?\.?(?::\d+)?\/?$/;

/** The store behind a name of Rook's gateway service, `rook-ceph-rgw-STORE.NAMESPACE`, in any of its lengths. */
export function storeOfHost(host: string | undefined): ObjectRef | undefined {
  const [, name, namespace] = GATEWAY.exec(host ?? '') ?? [];
  return name && namespace ? store(namespace, name) : undefined;
}

/** Whether a class makes its buckets in an object store of Rook's. */
export function isBucketClass(storageClass: KubeObject | undefined): boolean {
  return /^(?:.+\.)?ceph\.rook\.io\/bucket$/.test(textAt(storageClass, 'provisioner') ?? '');
}

/** The store that a StorageClass for buckets makes them in. */
export function storeOfBucketClass(storageClass: KubeObject): StoreFound | undefined {
  if (!isBucketClass(storageClass)) return undefined;
  const parameters = recordAt(storageClass, 'parameters');
  const name = textAt(parameters, 'objectStoreName');
  const namespace = textAt(parameters, 'objectStoreNamespace');
  if (name && namespace) return { to: store(namespace, name), field: 'parameters.objectStoreName' };
  const to = storeOfHost(textAt(parameters, 'endpoint'));
  return to && { to, field: 'parameters.endpoint' };
}

/** The store that an ObjectBucket is in. Before Rook 1.11 only its host name tells, or its class if it has another. */
export function storeOfBucket(bucket: KubeObject, lookup: Lookup): StoreFound | undefined {
  const name = textAt(bucket, 'spec', 'additionalState', 'objectStoreName');
  const namespace = textAt(bucket, 'spec', 'additionalState', 'objectStoreNamespace');
  if (name && namespace) return { to: store(namespace, name), field: 'spec.additionalState.objectStoreName' };
  const to = storeOfHost(textAt(bucket, 'spec', 'endpoint', 'bucketHost'));
  return to ? { to, field: 'spec.endpoint.bucketHost' } : storeOfOwnClass(bucket, lookup);
}

/** The store of the class that a bucket, or a claim to one, names. */
export function storeOfOwnClass(object: KubeObject, lookup: Lookup): StoreFound | undefined {
  const storageClass = classOf(object, lookup);
  const made = storageClass && storeOfBucketClass(storageClass);
  return made && { to: made.to, field: 'spec.storageClassName' };
}

/** Whether Rook has made, or will make, the bucket: its label, its state or its class says so. */
export function isBucketOfRook(object: KubeObject, lookup: Lookup): boolean {
  const label = textAt(object.metadata.labels, 'bucket-provisioner') ?? '';
  // In a label the slash of the provisioner's name becomes a dash.
  if (/^(?:.+\.)?ceph\.rook\.io-bucket$/.test(label)) return true;
  if (textAt(object, 'spec', 'additionalState', 'cephUser') !== undefined) return true;
  return isBucketClass(classOf(object, lookup));
}

function classOf(object: KubeObject, lookup: Lookup): KubeObject | undefined {
  const name = textAt(object, 'spec', 'storageClassName');
  return name ? lookup.object(Kinds.StorageClass, undefined, name) : undefined;
}
