import { isRookKind, refOf, textAt, type KubeObject } from '#pkg/object';

/** What there is to ask Ceph about a resource, for the kinds that hold data. */
export function questionsAbout(resource: KubeObject): readonly string[] {
  const { name } = resource.metadata;
  if (!isRookKind(refOf(resource))) return [];
  switch (resource.kind) {
    case 'CephBlockPool':
      return [`RBD images, snapshots and objects in pool ${textAt(resource, 'spec', 'name') ?? name}`];
    case 'CephBlockPoolRadosNamespace':
      return [`RBD images and snapshots in rados namespace ${name}`];
    case 'CephFilesystem':
      return [`subvolumes and files in filesystem ${name}`];
    case 'CephFilesystemSubVolumeGroup':
      return [`subvolumes in group ${name}`];
    case 'CephObjectStore': {
      const zone = textAt(resource, 'spec', 'zone', 'name');
      return [
        `buckets in object store ${name}`,
        ...(zone ? [`peers of zone ${zone} in other clusters`] : []),
      ];
    }
    case 'CephObjectZone':
      return [`buckets in zone ${name}`];
    default:
      return [];
  }
}
