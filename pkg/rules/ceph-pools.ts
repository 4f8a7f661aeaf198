import { fieldAt, isRookKind, isTrueAt, listAt, refOf, textAt, type KubeObject } from '#pkg/object';

const METADATA_SUFFIXES = ['control', 'meta', 'log', 'buckets.index', 'buckets.non-ec', 'otp'];

/** The names, inside Ceph, of the pools that a custom resource owns. They differ from the resource's own name. */
export function cephPoolsOf(object: KubeObject): readonly string[] {
  if (!isRookKind(refOf(object))) return [];
  switch (object.kind) {
    case 'CephBlockPool':
      return [textAt(object, 'spec', 'name') ?? object.metadata.name];
    case 'CephFilesystem':
      return filesystemPools(object);
    case 'CephObjectStore':
      return ownsPools(object) ? objectPools(object) : [];
    case 'CephObjectZone':
      return objectPools(object);
    default:
      return [];
  }
}

function filesystemPools(filesystem: KubeObject): readonly string[] {
  const name = filesystem.metadata.name;
  const preserve = isTrueAt(filesystem, 'spec', 'preservePoolNames');
  const poolName = (own: string | undefined, standard: string): string => {
    if (own === undefined) return `${name}-${standard}`;
    return preserve ? own : `${name}-${own}`;
  };
  return [
    poolName(textAt(filesystem, 'spec', 'metadataPool', 'name'), 'metadata'),
    ...listAt(filesystem, 'spec', 'dataPools').map((pool, index) =>
      poolName(textAt(pool, 'name'), `data${index}`),
    ),
  ];
}

/** A store in a zone uses the zone's pools; an external one has none here. */
function ownsPools(store: KubeObject): boolean {
  return textAt(store, 'spec', 'zone', 'name') === undefined && !isExternalStore(store);
}

export function isExternalStore(store: KubeObject): boolean {
  return listAt(store, 'spec', 'gateway', 'externalRgwEndpoints').length > 0;
}

/** `.rgw.root` is left out: all stores of a cluster share it, none owns it. */
function objectPools(storeOrZone: KubeObject): readonly string[] {
  if (keepsAllInSharedPools(storeOrZone)) return [];
  const prefix = storeOrZone.metadata.name;
  return [...METADATA_SUFFIXES, 'buckets.data'].map((suffix) => `${prefix}.rgw.${suffix}`);
}

function keepsAllInSharedPools(storeOrZone: KubeObject): boolean {
  const shared = fieldAt(storeOrZone, 'spec', 'sharedPools');
  if (listAt(shared, 'poolPlacements').some((placement) => isTrueAt(placement, 'default'))) return true;
  return textAt(shared, 'metadataPoolName') !== undefined && textAt(shared, 'dataPoolName') !== undefined;
}
