import { Kinds, recordAt, textAt, type KubeObject } from '#pkg/object';
import { cephPoolsOf } from './ceph-pools.ts';
import {
  blockPools,
  filesystemNamed,
  isFileDriver,
  locationsOf,
  placesNamed,
  type Location,
  type Parameters,
} from './csi-location.ts';
import { groupsMeant, partsNamed } from './csi-parts.ts';
import {
  cephDriver,
  poolsByNumber,
  topologyPairs,
  type CephDriver,
  type ClusterPlace,
} from './csi-volume.ts';
import type { Lookup } from './lookup.ts';

/** What is known about a volume, or about a snapshot whose volume is gone. */
export interface Stored {
  readonly driver: CephDriver;
  readonly attributes: Parameters;
  readonly className?: string | undefined;
  /** The number of the pool or filesystem, from the handle. */
  readonly location?: number | undefined;
}

/** Everything in a place that holds it; where it does not tell, everything that may. Keys are fields of a volume. */
export function* storedLocations(stored: Stored, place: ClusterPlace, lookup: Lookup): Iterable<Location> {
  const { driver, attributes } = stored;
  const named = [...locationsOf(driver, attributes, place, lookup)];
  for (const { provider, key } of named) yield { provider, key: `spec.csi.volumeAttributes.${key}` };
  const stores = named.map(({ provider }) => provider).filter((provider) => isStore(driver, provider));
  const isTold = stores.length > 0 || namesStore(stored, place);
  const guessed = isTold ? [] : guessedStores(stored, place, lookup);
  yield* guessed;
  const all = [...stores, ...guessed.map(({ provider }) => provider)];
  yield* guessedParts(stored, place, all, lookup);
}

/** Old and hand-made volumes may not name their pool or filesystem: their class or their handle tells, or nothing does. */
function guessedStores(stored: Stored, place: ClusterPlace, lookup: Lookup): readonly Location[] {
  const { driver, className, location } = stored;
  const storageClass = className ? lookup.object(Kinds.StorageClass, undefined, className) : undefined;
  if (cephDriver(textAt(storageClass, 'provisioner')) === driver) {
    const byClass = [...locationsOf(driver, recordAt(storageClass, 'parameters'), place, lookup)];
    if (byClass.length > 0)
      return byClass.map(({ provider }) => ({ provider, key: 'spec.storageClassName' }));
  }
  const candidates = isFileDriver(driver)
    ? lookup.ofKind(Kinds.CephFilesystem, place.namespace)
    : location === undefined
      ? lookup.ofKind(Kinds.CephBlockPool, place.namespace)
      : withDataPools(driver, place, poolsByNumber(place.namespace, location, lookup), lookup);
  return candidates.map((provider) => ({ provider, key: 'spec.csi.volumeHandle' }));
}

/** The rados namespace, or the subvolume groups, that it may be in, within its pools or filesystems. */
function guessedParts(
  { driver, attributes }: Stored,
  place: ClusterPlace,
  stores: readonly KubeObject[],
  lookup: Lookup,
): readonly Location[] {
  const fsName = filesystemNamed(attributes, place);
  const names = stores
    .filter((store) => isStore(driver, store))
    .map(({ metadata }) => metadata.name)
    .concat(fsName ?? []);
  const parts = [...partsNamed(driver, attributes, place, names, lookup)].map(({ provider }) => provider);
  const groups = isFileDriver(driver) ? groupsMeant(attributes, place, names, lookup) : [];
  const key = isFileDriver(driver) && fsName ? 'spec.csi.volumeAttributes.fsName' : 'spec.csi.volumeHandle';
  return [...parts, ...groups].map((provider) => ({ provider, key }));
}

/** The number is that of the image's pool; with erasure coding its data is in another, which only classes tell. */
function withDataPools(
  driver: CephDriver,
  place: ClusterPlace,
  pools: readonly KubeObject[],
  lookup: Lookup,
): readonly KubeObject[] {
  const names = new Set(pools.flatMap(cephPoolsOf));
  const found = new Set(pools);
  for (const storageClass of names.size > 0 ? lookup.ofKind(Kinds.StorageClass, undefined) : []) {
    if (cephDriver(textAt(storageClass, 'provisioner')) !== driver) continue;
    const parameters = recordAt(storageClass, 'parameters');
    const isHere = placesNamed(parameters, undefined, lookup).some(
      ({ namespace }) => namespace === place.namespace,
    );
    for (const { pool, dataPool } of isHere ? poolPairs(parameters) : []) {
      if (!pool || !dataPool || !names.has(pool)) continue;
      for (const owner of blockPools(place, dataPool, lookup)) found.add(owner);
    }
  }
  return [...found];
}

function poolPairs(parameters: Parameters): ReturnType<typeof topologyPairs> {
  const own = { pool: textAt(parameters, 'pool'), dataPool: textAt(parameters, 'dataPool') };
  return [own, ...topologyPairs(parameters)];
}

function namesStore({ driver, attributes }: Stored, place: ClusterPlace): boolean {
  if (isFileDriver(driver)) return filesystemNamed(attributes, place) !== undefined;
  return textAt(attributes, 'pool') !== undefined;
}

function isStore(driver: CephDriver, provider: KubeObject): boolean {
  return provider.kind === (isFileDriver(driver) ? 'CephFilesystem' : 'CephBlockPool');
}
