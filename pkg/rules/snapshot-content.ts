import { Kinds, refOf, textAt, type KubeObject } from '#pkg/object';
import {
  cephDriver,
  decodeHandle,
  placesOf,
  poolsByNumber,
  type CephDriver,
  type ClusterPlace,
} from './csi-volume.ts';
import type { Lookup } from './lookup.ts';
import { VOLUME_CONSULTATIONS, volumeLocations } from './persistent-volume.ts';
import type { Rule } from './rule.ts';

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
    const path = HANDLES.find((candidate) => textAt(content, ...candidate) !== undefined);
    if (!driver || !path) return;
    const field = path.join('.');
    const origin = [...originProviders(content, lookup)];
    const providers =
      origin.length > 0 ? origin : providersByHandle(driver, textAt(content, ...path), lookup);
    for (const provider of providers) yield { to: refOf(provider), field };
  },
};

/** The handle of the snapshot; while it is being taken, that of its volume, which lies in the same pool. */
const HANDLES = [
  ['status', 'snapshotHandle'],
  ['spec', 'source', 'snapshotHandle'],
  ['spec', 'source', 'volumeHandle'],
] as const;

function* providersByHandle(
  driver: CephDriver,
  text: string | undefined,
  lookup: Lookup,
): Iterable<KubeObject> {
  const handle = decodeHandle(text);
  for (const place of handle ? placesOf(handle.clusterId, lookup) : []) {
    yield* locate(driver, place, handle?.location ?? 0, lookup);
  }
}

/** Where the volume lies that the snapshot was taken of: the snapshot lies in the same pool. */
function* originProviders(content: KubeObject, lookup: Lookup): Iterable<KubeObject> {
  const handle = textAt(content, 'spec', 'source', 'volumeHandle');
  for (const volume of handle ? lookup.volumesWithHandle(handle) : []) {
    for (const { provider } of volumeLocations(volume, lookup)) {
      if (provider.kind !== 'CephCluster' && provider.kind !== 'CephNFS') yield provider;
    }
  }
}

function* locate(
  driver: CephDriver,
  place: ClusterPlace,
  location: number,
  lookup: Lookup,
): Iterable<KubeObject> {
  if (driver === 'rbd' || driver === 'nvmeof') {
    yield* poolsByNumber(place.namespace, location, lookup);
    if (place.radosNamespace) yield place.radosNamespace;
    return;
  }
  const group = place.subVolumeGroup;
  const owner = group && textAt(group, 'spec', 'filesystemName');
  // No resource tells a filesystem's number, so without a group every filesystem of the cluster may be meant.
  yield* lookup
    .ofKind(Kinds.CephFilesystem, place.namespace)
    .filter((filesystem) => owner === undefined || filesystem.metadata.name === owner);
  if (group) yield group;
}
