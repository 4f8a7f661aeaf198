import { Kinds, refOf, textAt, type KubeObject } from '#pkg/object';
import { cephDriver, decodeHandle, placesOf, type VolumeHandle } from './csi-volume.ts';
import type { Lookup } from './lookup.ts';
import { VOLUME_CONSULTATIONS, volumeLocations, volumePlaces } from './persistent-volume.ts';
import type { Rule } from './rule.ts';
import { storedLocations } from './stored-locations.ts';
import { unplacedBy } from './unplaced.ts';

export const snapshotContent: Rule = {
  code: 'RD024',
  title: 'A volume snapshot that is stored there',
  relation: 'keeps its snapshot in',
  blocks: true,
  reads: [Kinds.VolumeSnapshotContent],
  targets: [
    Kinds.CephBlockPool,
    Kinds.CephBlockPoolRadosNamespace,
    Kinds.CephFilesystem,
    Kinds.CephFilesystemSubVolumeGroup,
  ],
  consults: [...VOLUME_CONSULTATIONS, { kind: Kinds.PersistentVolume }],
  meaning:
    'A VolumeSnapshotContent points to a snapshot in the pool or filesystem; its handle has the number of the pool. ' +
    'A snapshot outlives the volume it was taken of, and is lost with the pool.',
  remedy: [
    'Delete the VolumeSnapshots that nobody needs. One with deletion policy Retain stays: delete its content too.',
  ],
  *references(content, lookup) {
    const driver = cephDriver(textAt(content, 'spec', 'driver'));
    if (!driver) return;
    const origins = originsOf(content, lookup);
    const [path, handle] = handleOf(content);
    if (origins.length === 0 && !handle) yield unplacedBy(driver);
    const placesByHandle = handle ? placesOf(handle.clusterId, lookup) : [];
    const providers =
      origins.length > 0
        ? origins.flatMap((volume) => [...volumeLocations(volume, lookup)])
        : placesByHandle.flatMap((place) => [
            ...storedLocations({ driver, attributes: {}, location: handle?.location }, place, lookup),
          ]);
    for (const { provider } of providers) {
      const isHolder = provider.kind !== 'CephCluster' && provider.kind !== 'CephNFS';
      if (isHolder) yield { to: refOf(provider), field: path.join('.') };
    }
  },
};

/** The handle of the snapshot; while it is being taken, that of its volume, which lies in the same pool. */
const HANDLES = [
  ['status', 'snapshotHandle'],
  ['spec', 'source', 'snapshotHandle'],
  ['spec', 'source', 'volumeHandle'],
] as const;

function handleOf(content: KubeObject): readonly [path: readonly string[], handle: VolumeHandle | undefined] {
  const present = HANDLES.filter((path) => textAt(content, ...path) !== undefined);
  const path = present.find((candidate) => decodeHandle(textAt(content, ...candidate))) ?? present[0] ?? [];
  return [path, decodeHandle(textAt(content, ...path))];
}

/**
 * The volume that the snapshot was taken of, if it is there and tells its cluster: the snapshot lies where it lies.
 * Whether it tells depends on the volume alone, so that the answer is the same whatever else was looked at.
 */
function originsOf(content: KubeObject, lookup: Lookup): readonly KubeObject[] {
  const handle = textAt(content, 'spec', 'source', 'volumeHandle');
  const driver = textAt(content, 'spec', 'driver');
  return (handle ? lookup.volumesWithHandle(handle) : []).filter(
    (volume) => textAt(volume, 'spec', 'csi', 'driver') === driver && volumePlaces(volume, lookup).length > 0,
  );
}
