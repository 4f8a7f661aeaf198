import { Kinds, refOf, sameKind, textAt, type KubeObject, type ObjectRef } from '#pkg/object';
import { nameOf } from './object-name.ts';
import type { ObjectName } from './report.ts';

/** Tells for whom a thing inside Ceph was made. */
export interface ContentOwners {
  ownerOf(content: { readonly kind: string; readonly name: string }): ObjectName | undefined;
}

/** By what hangs on the subject: only those objects can own what is inside it. */
export function contentOwners(objects: readonly KubeObject[]): ContentOwners {
  const owners = new Map<string, ObjectName>();
  for (const object of objects) {
    for (const [kind, name, owner] of ownedBy(refOf(object), object)) {
      if (name) owners.set(`${kind}/${name}`, owner);
    }
  }
  // A volume knows the name alone, and not the namespace or group that is before it.
  return { ownerOf: ({ kind, name }) => owners.get(`${kind}/${name.slice(name.lastIndexOf('/') + 1)}`) };
}

type Owned = readonly [kind: string, name: string | undefined, owner: ObjectName];

function ownedBy(ref: ObjectRef, object: KubeObject): readonly Owned[] {
  if (sameKind(ref, Kinds.ObjectBucket)) {
    const claim = claimOf(object, 'ObjectBucketClaim', 'claimRef');
    return [['Bucket', textAt(object, 'spec', 'endpoint', 'bucketName'), claim]];
  }
  if (sameKind(ref, Kinds.CosiBucket)) {
    const bucket = textAt(object, 'status', 'bucketID') ?? object.metadata.name;
    return [['Bucket', bucket, claimOf(object, 'BucketClaim', 'bucketClaim')]];
  }
  if (sameKind(ref, Kinds.PersistentVolume)) {
    const attributes = ['spec', 'csi', 'volumeAttributes'];
    return [
      ['RBDImage', textAt(object, ...attributes, 'imageName'), nameOf(object)],
      ['Subvolume', textAt(object, ...attributes, 'subvolumeName'), nameOf(object)],
    ];
  }
  return [];
}

/** Who claimed a bucket; the object that stands for the bucket where nobody did. */
function claimOf(bucket: KubeObject, kind: string, field: string): ObjectName {
  const name = textAt(bucket, 'spec', field, 'name');
  const namespace = textAt(bucket, 'spec', field, 'namespace');
  const { apiVersion } = bucket;
  return name && namespace ? { apiVersion, kind, namespace, name } : nameOf(bucket);
}
