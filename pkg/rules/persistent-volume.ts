import { Kinds, recordAt, refOf, textAt, type KubeObject } from '#pkg/object';
import { placesNamed } from './csi-location.ts';
import { cephDriver, decodeHandle, ignoresVolumes, type ClusterPlace } from './csi-volume.ts';
import type { Lookup } from './lookup.ts';
import type { Consultation, Rule } from './rule.ts';
import { storedLocations } from './stored-locations.ts';
import { unplacedBy } from './unplaced.ts';

/** What it takes to say where a volume is stored. */
export const VOLUME_CONSULTATIONS: readonly Consultation[] = [
  { kind: Kinds.CephCluster },
  { kind: Kinds.CephBlockPool },
  { kind: Kinds.CephBlockPoolRadosNamespace },
  { kind: Kinds.CephFilesystem },
  { kind: Kinds.CephFilesystemSubVolumeGroup },
  { kind: Kinds.ClientProfile, across: true },
  { kind: Kinds.StorageClass },
];

export const persistentVolume: Rule = {
  code: 'RD023',
  title: 'A volume that is stored there',
  relation: 'keeps its data in',
  blocks: true,
  reads: [Kinds.PersistentVolume],
  targets: [
    Kinds.CephCluster,
    Kinds.CephBlockPool,
    Kinds.CephBlockPoolRadosNamespace,
    Kinds.CephFilesystem,
    Kinds.CephFilesystemSubVolumeGroup,
    Kinds.CephNFS,
  ],
  consults: VOLUME_CONSULTATIONS,
  meaning:
    'A PersistentVolume of ceph-csi has its image or subvolume there: its attributes or its handle say so. Deleting ' +
    'the provider destroys the data of whoever has the volume. Rook looks for volumes only when a whole cluster is ' +
    'deleted, and then only for some of them.',
  remedy: [
    'Find the owners of the claims, have them move or give up their data, and delete the claims.',
    'A volume with reclaim policy Retain stays after its claim: delete it by hand once its data is not needed.',
    'spec.cleanupPolicy.allowUninstallWithVolumes: true on the CephCluster says that volumes shall not hold anything back.',
  ],
  *references(volume, lookup) {
    const driver = cephDriver(textAt(volume, 'spec', 'csi', 'driver'));
    if (!driver) return;
    const detail = claimOf(volume);
    for (const { place, provider, field } of volumeLocations(volume, lookup)) {
      const lifted = ignoresVolumes(place.namespace, lookup) ? { blocks: false as const } : {};
      yield { to: refOf(provider), field, ...(detail ? { detail } : {}), ...lifted };
    }
    // A released volume counts as well: with reclaim policy Retain its data is still there.
    if (volumePlaces(volume, lookup).length === 0) yield unplacedBy(driver);
  },
  lifts: ({ namespace }, lookup) => ignoresVolumes(namespace ?? '', lookup),
};

export interface VolumeLocation {
  readonly place: ClusterPlace;
  readonly provider: KubeObject;
  readonly field: string;
}

/** Where the clusterID of a volume leads; nowhere only when it has none. */
export function volumePlaces(volume: KubeObject, lookup: Lookup): readonly ClusterPlace[] {
  const handle = decodeHandle(textAt(volume, 'spec', 'csi', 'volumeHandle'));
  return placesNamed(recordAt(volume, 'spec', 'csi', 'volumeAttributes'), handle?.clusterId, lookup);
}

/** The cluster, and within it the pools, filesystem and parts of them, that hold a volume. */
export function* volumeLocations(volume: KubeObject, lookup: Lookup): Iterable<VolumeLocation> {
  const driver = cephDriver(textAt(volume, 'spec', 'csi', 'driver'));
  if (!driver) return;
  const stored = {
    driver,
    attributes: recordAt(volume, 'spec', 'csi', 'volumeAttributes'),
    className: textAt(volume, 'spec', 'storageClassName'),
    location: decodeHandle(textAt(volume, 'spec', 'csi', 'volumeHandle'))?.location,
  };
  for (const place of volumePlaces(volume, lookup)) {
    for (const provider of lookup.ofKind(Kinds.CephCluster, place.namespace)) {
      yield { place, provider, field: 'spec.csi.volumeAttributes.clusterID' };
    }
    for (const { provider, key } of storedLocations(stored, place, lookup))
      yield { place, provider, field: key };
  }
}

function claimOf(volume: KubeObject): string | undefined {
  const name = textAt(volume, 'spec', 'claimRef', 'name');
  if (!name) return undefined;
  const claim = `claim ${textAt(volume, 'spec', 'claimRef', 'namespace') ?? ''}/${name}`;
  return textAt(volume, 'status', 'phase') === 'Released' ? `released by ${claim}` : claim;
}
