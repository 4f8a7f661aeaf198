import { recordAt, textAt, type KubeObject, type ObjectRef } from '#pkg/object';

const store = (namespace: string, name: string): ObjectRef => ({
  group: 'ceph.rook.io',
  kind: 'CephObjectStore',
  namespace,
  name,
});

/** The store behind a host name of Rook's gateways, `rook-ceph-rgw-STORE.NAMESPACE.svc`, and no other. */
export function storeOfHost(host: string | undefined): ObjectRef | undefined {
  const [service, namespace, svc, ...rest] = (host ?? '').split('.');
  const name = /^rook-ceph-rgw-(.+)$/.exec(service ?? '')?.[1];
  return name && namespace && svc === 'svc' && rest.length === 0 ? store(namespace, name) : undefined;
}

/** The store that a StorageClass for buckets makes them in. */
export function storeOfBucketClass(
  storageClass: KubeObject,
): { readonly to: ObjectRef; readonly field: string } | undefined {
  if (!/^(?:.+\.)?ceph\.rook\.io\/bucket$/.test(textAt(storageClass, 'provisioner') ?? '')) return undefined;
  const parameters = recordAt(storageClass, 'parameters');
  const name = textAt(parameters, 'objectStoreName');
  const namespace = textAt(parameters, 'objectStoreNamespace');
  if (name && namespace) return { to: store(namespace, name), field: 'parameters.objectStoreName' };
  // An endpoint is a host with a port.
  const to = storeOfHost(textAt(parameters, 'endpoint')?.replace(/:\d+$/, ''));
  return to && { to, field: 'parameters.endpoint' };
}

/** The store that an ObjectBucket is in. Before Rook 1.11 only its host name tells. */
export function storeOfBucket(
  bucket: KubeObject,
): { readonly to: ObjectRef; readonly field: string } | undefined {
  const name = textAt(bucket, 'spec', 'additionalState', 'objectStoreName');
  const namespace = textAt(bucket, 'spec', 'additionalState', 'objectStoreNamespace');
  if (name && namespace) return { to: store(namespace, name), field: 'spec.additionalState.objectStoreName' };
  const to = storeOfHost(textAt(bucket, 'spec', 'endpoint', 'bucketHost'));
  return to && { to, field: 'spec.endpoint.bucketHost' };
}
