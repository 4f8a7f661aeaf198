import { Kinds, textAt, type KubeObject } from '#pkg/object';
import { radosNamespaceName, subVolumeGroupName } from './csi-cluster-id.ts';
import type { Location, Parameters } from './csi-location.ts';
import type { CephDriver, ClusterPlace } from './csi-volume.ts';
import type { Lookup } from './lookup.ts';

/** The rados namespaces, or subvolume groups, that are told within these pools or filesystems. */
export function* partsNamed(
  driver: CephDriver,
  parameters: Parameters,
  place: ClusterPlace,
  stores: readonly string[],
  lookup: Lookup,
): Iterable<Location> {
  if (driver === 'rbd' || driver === 'nvmeof') yield* radosNamespaces(parameters, place, stores, lookup);
  else yield* groupsNamed(parameters, place, stores, lookup);
}

/** Every subvolume group of these filesystems, when nothing tells in which one a volume or snapshot is. */
export function groupsMeant(
  parameters: Parameters,
  place: ClusterPlace,
  filesystems: readonly string[],
  lookup: Lookup,
): readonly KubeObject[] {
  const path = groupOfPath(parameters);
  const isTold = path ? path.group !== 'any' : (place.subVolumeGroup ?? place.subVolumeGroupName);
  return isTold ? [] : groupsOf(place, filesystems, lookup);
}

function* radosNamespaces(
  parameters: Parameters,
  place: ClusterPlace,
  pools: readonly string[],
  lookup: Lookup,
): Iterable<Location> {
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

function* groupsNamed(
  parameters: Parameters,
  place: ClusterPlace,
  filesystems: readonly string[],
  lookup: Lookup,
): Iterable<Location> {
  if (place.subVolumeGroup) yield { provider: place.subVolumeGroup, key: 'clusterID' };
  const path = groupOfPath(parameters);
  const name = path ? path.name : place.subVolumeGroupName;
  for (const provider of name ? groupsOf(place, filesystems, lookup) : []) {
    if (subVolumeGroupName(provider) === name) yield { provider, key: path?.key ?? 'clusterID' };
  }
}

function groupsOf(
  place: ClusterPlace,
  filesystems: readonly string[],
  lookup: Lookup,
): readonly KubeObject[] {
  return lookup
    .ofKind(Kinds.CephFilesystemSubVolumeGroup, place.namespace)
    .filter((group) => filesystems.includes(textAt(group, 'spec', 'filesystemName') ?? ''));
}

interface GroupOfPath {
  readonly key: 'subvolumePath' | 'rootPath';
  /** `any` when the path lies above the groups, and so holds them all. */
  readonly group: 'one' | 'any' | 'none';
  readonly name?: string;
}

/** Groups are the directories `/volumes/GROUP`. Volumes made by hand tell a rootPath instead of a subvolumePath. */
function groupOfPath(parameters: Parameters): GroupOfPath | undefined {
  for (const key of ['subvolumePath', 'rootPath'] as const) {
    const path = textAt(parameters, key);
    if (!path) continue;
    const steps = path.split('/').filter((step) => step !== '' && step !== '.');
    if (steps.includes('..')) return { key, group: 'any' };
    const [root, name] = steps;
    if (root !== undefined && root !== 'volumes') return { key, group: 'none' };
    return name === undefined ? { key, group: 'any' } : { key, group: 'one', name };
  }
  return undefined;
}
