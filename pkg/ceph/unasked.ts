import { isRookKind, refOf, textAt, type KubeObject } from '#pkg/object';
import type { CephContents } from './contents.ts';

const REASON = 'only Ceph can tell, and it was not asked';

/** Stands in where Ceph is not asked: whatever it might hold is reported as not checked. */
export function unaskedCeph(): CephContents {
  return {
    contentsOf: (resource) =>
      Promise.resolve({
        items: [],
        gaps: questionsAbout(resource).map((what) => ({ what, reason: REASON })),
      }),
  };
}

/** Stands in where the user does not want Ceph to be asked: nothing is missing, but the answer says what it lacks. */
export function skippedCeph(): CephContents {
  return {
    contentsOf: (resource) => {
      const what = questionsAbout(resource);
      const notes =
        what.length > 0 ? [`Ceph was left out, so this says nothing about ${what.join(' and ')}`] : [];
      return Promise.resolve({ items: [], gaps: [], notes });
    },
  };
}

/** What there would be to ask, for the kinds that hold data. */
function questionsAbout(resource: KubeObject): readonly string[] {
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
