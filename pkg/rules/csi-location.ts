import { Kinds, textAt, type KubeObject } from '#pkg/object';
import { radosNamespaceName, subVolumeGroupName } from './csi-cluster-id.ts';
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
  switch (driver) {
    case 'rbd':
    case 'nvmeof':
      yield* blockLocations(parameters, place, lookup);
      return;
    case 'cephfs':
    case 'nfs':
      yield* fileLocations(parameters, place, lookup);
      return;
  }
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

function* blockLocations(parameters: Parameters, place: ClusterPlace, lookup: Lookup): Iterable<Location> {
  const pools: string[] = [];
  for (const key of ['pool', 'journalPool', 'dataPool']) {
    const pool = textAt(parameters, key);
    if (!pool) continue;
    for (const provider of blockPools(place, pool, lookup)) {
      pools.push(provider.metadata.name);
      yield { provider, key };
    }
  }
  for (const pool of topologyPools(parameters)) {
    for (const provider of blockPools(place, pool, lookup))
      yield { provider, key: 'topologyConstrainedPools' };
  }
  if (place.radosNamespace) yield { provider: place.radosNamespace, key: 'clusterID' };
  const chosen = textAt(parameters, 'radosNamespace');
  const name = chosen ?? place.radosNamespaceName;
  if (!name) return;
  for (const provider of lookup.ofKind(Kinds.CephBlockPoolRadosNamespace, place.namespace)) {
    const inPool = pools.includes(textAt(provider, 'spec', 'blockPoolName') ?? '');
    if (inPool && radosNamespaceName(provider) === name)
      yield { provider, key: chosen ? 'radosNamespace' : 'clusterID' };
  }
}

function* fileLocations(parameters: Parameters, place: ClusterPlace, lookup: Lookup): Iterable<Location> {
  const group = place.subVolumeGroup;
  const fsName = textAt(parameters, 'fsName') ?? (group && textAt(group, 'spec', 'filesystemName'));
  const filesystem = fsName && lookup.object(Kinds.CephFilesystem, place.namespace, fsName);
  if (filesystem) yield { provider: filesystem, key: 'fsName' };
  if (group) yield { provider: group, key: 'clusterID' };
  const path = /^\/volumes\/([^/]+)\//.exec(textAt(parameters, 'subvolumePath') ?? '')?.[1];
  const groupName = path ?? place.subVolumeGroupName;
  for (const provider of groupName
    ? lookup.ofKind(Kinds.CephFilesystemSubVolumeGroup, place.namespace)
    : []) {
    const inFilesystem = textAt(provider, 'spec', 'filesystemName') === fsName;
    if (inFilesystem && subVolumeGroupName(provider) === groupName)
      yield { provider, key: path ? 'subvolumePath' : 'clusterID' };
  }
  const pool = textAt(parameters, 'pool');
  for (const provider of pool ? lookup.poolOwners(place.namespace, pool) : []) {
    if (!isObjectStorage(provider)) yield { provider, key: 'pool' };
  }
  const server = textAt(parameters, 'nfsCluster');
  const nfs = server && lookup.object(Kinds.CephNFS, place.namespace, server);
  if (nfs) yield { provider: nfs, key: 'nfsCluster' };
}

function blockPools(place: ClusterPlace, pool: string, lookup: Lookup): readonly KubeObject[] {
  return lookup.poolOwners(place.namespace, pool).filter(({ kind }) => kind === 'CephBlockPool');
}

/** The pools of stores and zones are made for objects: volumes in them are nothing to look for. */
function isObjectStorage({ kind }: KubeObject): boolean {
  return kind === 'CephObjectStore' || kind === 'CephObjectZone';
}
