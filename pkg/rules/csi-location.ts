import { Kinds, textAt, type KubeObject } from '#pkg/object';
import { partsNamed } from './csi-parts.ts';
import { placesOf, topologyPools, type CephDriver, type ClusterPlace } from './csi-volume.ts';
import type { Lookup } from './lookup.ts';

/** A resource in which a volume, or the volumes of a class, are stored. */
export interface Location {
  readonly provider: KubeObject;
  /** The parameter that says so. */
  readonly key: string;
}

/** The parameters of a StorageClass, or the attributes of a volume: ceph-csi copies the first into the second. */
export type Parameters = Readonly<Record<string, unknown>>;

/** Every resource that the parameters name exactly, in the cluster that their clusterID leads to. */
export function* locationsOf(
  driver: CephDriver,
  parameters: Parameters,
  place: ClusterPlace,
  lookup: Lookup,
): Iterable<Location> {
  if (isFileDriver(driver)) {
    yield* fileLocations(driver, parameters, place, lookup);
    return;
  }
  const pools = [...blockPoolsNamed(parameters, place, lookup)];
  yield* pools;
  const names = pools.map(({ provider }) => provider.metadata.name);
  yield* partsNamed(driver, parameters, place, names, lookup);
}

export function isFileDriver(driver: CephDriver): boolean {
  return driver === 'cephfs' || driver === 'nfs';
}

/** The places of the clusterID in the parameters; a volume without one may tell it in its handle. */
export function placesNamed(
  parameters: Parameters,
  handleClusterId: string | undefined,
  lookup: Lookup,
): readonly ClusterPlace[] {
  const clusterId = textAt(parameters, 'clusterID') ?? handleClusterId;
  return clusterId ? placesOf(clusterId, lookup) : [];
}

/** The filesystem that is told by its name, or by the subvolume group that bears the clusterID. */
export function filesystemNamed(parameters: Parameters, place: ClusterPlace): string | undefined {
  const group = place.subVolumeGroup;
  return textAt(parameters, 'fsName') ?? (group && textAt(group, 'spec', 'filesystemName'));
}

/** The block pools of this name inside Ceph. */
export function blockPools(place: ClusterPlace, pool: string, lookup: Lookup): readonly KubeObject[] {
  return lookup.poolOwners(place.namespace, pool).filter(({ kind }) => kind === 'CephBlockPool');
}

function* blockPoolsNamed(parameters: Parameters, place: ClusterPlace, lookup: Lookup): Iterable<Location> {
  for (const key of ['pool', 'journalPool', 'dataPool']) {
    const pool = textAt(parameters, key);
    for (const provider of pool ? blockPools(place, pool, lookup) : []) yield { provider, key };
  }
  for (const pool of topologyPools(parameters)) {
    for (const provider of blockPools(place, pool, lookup))
      yield { provider, key: 'topologyConstrainedPools' };
  }
}

function* fileLocations(
  driver: CephDriver,
  parameters: Parameters,
  place: ClusterPlace,
  lookup: Lookup,
): Iterable<Location> {
  const fsName = filesystemNamed(parameters, place);
  const filesystem = fsName && lookup.object(Kinds.CephFilesystem, place.namespace, fsName);
  if (filesystem) yield { provider: filesystem, key: 'fsName' };
  // The filesystem's name is enough to know its groups: it need not be there itself.
  yield* partsNamed(driver, parameters, place, fsName ? [fsName] : [], lookup);
  const pool = textAt(parameters, 'pool');
  for (const provider of pool ? lookup.poolOwners(place.namespace, pool) : []) {
    if (!isObjectStorage(provider)) yield { provider, key: 'pool' };
  }
  const server = textAt(parameters, 'nfsCluster');
  const nfs = server && lookup.object(Kinds.CephNFS, place.namespace, server);
  if (nfs) yield { provider: nfs, key: 'nfsCluster' };
}

/** The pools of stores and zones are made for objects: volumes in them are nothing to look for. */
function isObjectStorage({ kind }: KubeObject): boolean {
  return kind === 'CephObjectStore' || kind === 'CephObjectZone';
}
