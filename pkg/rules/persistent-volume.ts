import { Kinds, recordAt, refOf, textAt, type KubeObject } from '#pkg/object';
import { locationsOf, placesNamed, type Location, type Parameters } from './csi-location.ts';
import {
  cephDriver,
  decodeHandle,
  ignoresVolumes,
  poolsByNumber,
  type CephDriver,
  type ClusterPlace,
} from './csi-volume.ts';
import type { Lookup } from './lookup.ts';
import type { Consultation, Rule } from './rule.ts';

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
    const detail = claimOf(volume);
    for (const { place, provider, field } of volumeLocations(volume, lookup)) {
      const lifted = ignoresVolumes(place.namespace, lookup) ? { blocks: false as const } : {};
      yield { to: refOf(provider), field, ...(detail ? { detail } : {}), ...lifted };
    }
  },
};

export interface VolumeLocation {
  readonly place: ClusterPlace;
  readonly provider: KubeObject;
  readonly field: string;
}

/** The cluster, and within it the pools, filesystem and parts of them, that hold a volume. */
export function* volumeLocations(volume: KubeObject, lookup: Lookup): Iterable<VolumeLocation> {
  const driver = cephDriver(textAt(volume, 'spec', 'csi', 'driver'));
  if (!driver) return;
  const attributes = recordAt(volume, 'spec', 'csi', 'volumeAttributes');
  const handle = decodeHandle(textAt(volume, 'spec', 'csi', 'volumeHandle'));
  for (const place of placesNamed(attributes, handle?.clusterId, lookup)) {
    for (const provider of lookup.ofKind(Kinds.CephCluster, place.namespace)) {
      yield { place, provider, field: 'spec.csi.volumeAttributes.clusterID' };
    }
    const named = [...locationsOf(driver, attributes, place, lookup)];
    for (const { provider, key } of named)
      yield { place, provider, field: `spec.csi.volumeAttributes.${key}` };
    if (named.some(({ provider }) => isStore(driver, provider)) || namesStore(driver, attributes)) continue;
    for (const { provider, key } of unnamedStore(volume, driver, place, handle?.location, lookup)) {
      yield { place, provider, field: key };
    }
  }
}

/** Old and hand-made volumes may not name their pool or filesystem: their class or their handle tells, or nothing does. */
function unnamedStore(
  volume: KubeObject,
  driver: CephDriver,
  place: ClusterPlace,
  location: number | undefined,
  lookup: Lookup,
): readonly Location[] {
  const className = textAt(volume, 'spec', 'storageClassName');
  const storageClass = className ? lookup.object(Kinds.StorageClass, undefined, className) : undefined;
  if (cephDriver(textAt(storageClass, 'provisioner')) === driver) {
    const byClass = [...locationsOf(driver, recordAt(storageClass, 'parameters'), place, lookup)];
    if (byClass.length > 0)
      return byClass.map(({ provider }) => ({ provider, key: 'spec.storageClassName' }));
  }
  const candidates =
    driver === 'cephfs' || driver === 'nfs'
      ? lookup.ofKind(Kinds.CephFilesystem, place.namespace)
      : location === undefined
        ? lookup.ofKind(Kinds.CephBlockPool, place.namespace)
        : poolsByNumber(place.namespace, location, lookup);
  return candidates.map((provider) => ({ provider, key: 'spec.csi.volumeHandle' }));
}

function namesStore(driver: CephDriver, attributes: Parameters): boolean {
  return textAt(attributes, driver === 'cephfs' || driver === 'nfs' ? 'fsName' : 'pool') !== undefined;
}

function isStore(driver: CephDriver, provider: KubeObject): boolean {
  return driver === 'cephfs' || driver === 'nfs'
    ? provider.kind === 'CephFilesystem'
    : provider.kind === 'CephBlockPool';
}

function claimOf(volume: KubeObject): string | undefined {
  const name = textAt(volume, 'spec', 'claimRef', 'name');
  if (!name) return undefined;
  const claim = `claim ${textAt(volume, 'spec', 'claimRef', 'namespace') ?? ''}/${name}`;
  return textAt(volume, 'status', 'phase') === 'Released' ? `released by ${claim}` : claim;
}
