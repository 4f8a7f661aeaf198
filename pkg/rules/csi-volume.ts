import { compareRefs, isTrueAt, Kinds, listAt, numberAt, refOf, textAt, type KubeObject } from '#pkg/object';
import type { Lookup } from './lookup.ts';

/** Which of ceph-csi's drivers a name stands for. The part before may be anything: installations rename drivers. */
export type CephDriver = 'rbd' | 'cephfs' | 'nfs' | 'nvmeof';

export function cephDriver(name: string | undefined): CephDriver | undefined {
  const match = /^(?:.+\.)?(rbd|cephfs|nfs|nvmeof)\.csi\.ceph\.com$/.exec(name ?? '');
  return match?.[1] as CephDriver | undefined;
}

export interface VolumeHandle {
  readonly clusterId: string;
  /** The number of the pool, or of the filesystem. */
  readonly location: number;
}

/**
 * Decodes `<version>-<length>-<clusterID>-<location>-<uuid>`. The clusterID may itself contain dashes, so its
 * length counts. Static volumes carry free text instead: undefined.
 */
export function decodeHandle(handle: string | undefined): VolumeHandle | undefined {
  const head = /^[0-9a-f]{4}-([0-9a-f]{4})-/i.exec(handle ?? '');
  if (!handle || !head?.[1]) return undefined;
  const rest = handle.slice(head[0].length);
  const length = Number.parseInt(head[1], 16);
  const tail = /^-([0-9a-f]{16})-[0-9a-f-]{36}$/i.exec(rest.slice(length));
  if (length === 0 || !tail?.[1]) return undefined;
  return { clusterId: rest.slice(0, length), location: Number.parseInt(tail[1], 16) };
}

/** Where a clusterID leads: a cluster's namespace, and perhaps a part of a pool or filesystem in it. */
export interface ClusterPlace {
  readonly namespace: string;
  readonly radosNamespace?: KubeObject;
  readonly subVolumeGroup?: KubeObject;
  /** The rados namespace's name inside Ceph, when only a profile tells it. */
  readonly radosNamespaceName?: string | undefined;
  /** Likewise for a subvolume group. */
  readonly subVolumeGroupName?: string | undefined;
}

/** All meanings of a clusterID. It always may be the namespace of a cluster: nobody can take that away by bearing it. */
export function placesOf(clusterId: string, lookup: Lookup): readonly ClusterPlace[] {
  const places: ClusterPlace[] = [];
  // Resources come before profiles: Rook writes a profile for each of them, which must not widen what they say.
  const bearers = lookup.bearersOfClusterId(clusterId).toSorted((a, b) => compareRefs(refOf(a), refOf(b)));
  for (const bearer of bearers) {
    const place = placeOf(bearer);
    const isKnown = places.some(
      ({ namespace, radosNamespace, subVolumeGroup }) =>
        namespace === place?.namespace && (radosNamespace ?? subVolumeGroup),
    );
    if (place && !(isKnown && bearer.kind === 'ClientProfile')) places.push(place);
  }
  return [...places, { namespace: clusterId }];
}

function placeOf(bearer: KubeObject): ClusterPlace | undefined {
  const namespace = bearer.metadata.namespace ?? '';
  if (bearer.kind === 'CephBlockPoolRadosNamespace') return { namespace, radosNamespace: bearer };
  if (bearer.kind === 'CephFilesystemSubVolumeGroup') return { namespace, subVolumeGroup: bearer };
  // A profile names a connection, and a connection bears the name of its cluster's namespace.
  const cluster = textAt(bearer, 'spec', 'cephConnectionRef', 'name');
  return cluster
    ? {
        namespace: cluster,
        radosNamespaceName: textAt(bearer, 'spec', 'rbd', 'radosNamespace'),
        subVolumeGroupName: textAt(bearer, 'spec', 'cephFs', 'subVolumeGroup'),
      }
    : undefined;
}

/** Whether the admin has said that volumes shall not hold the cluster back. */
export function ignoresVolumes(namespace: string, lookup: Lookup): boolean {
  return lookup
    .ofKind(Kinds.CephCluster, namespace)
    .some((cluster) => isTrueAt(cluster, 'spec', 'cleanupPolicy', 'allowUninstallWithVolumes'));
}

/** The pools with this number; when no pool in the namespace is known by it, those whose number is not known. */
export function poolsByNumber(namespace: string, location: number, lookup: Lookup): readonly KubeObject[] {
  const pools = lookup.ofKind(Kinds.CephBlockPool, namespace);
  const exact = pools.filter((pool) => poolNumber(pool) === location);
  return exact.length > 0 ? exact : pools.filter((pool) => poolNumber(pool) === undefined);
}

function poolNumber(pool: KubeObject): number | undefined {
  const id = numberAt(pool, 'status', 'poolID');
  return id !== undefined && id > 0 ? id : undefined;
}

/** The pools a topology-aware StorageClass may choose from, data pools included. */
export function topologyPools(parameters: Readonly<Record<string, unknown>>): readonly string[] {
  return topologyPairs(parameters).flatMap(({ pool, dataPool }) =>
    [pool, dataPool].filter((name) => name !== undefined),
  );
}

/** The same, each with its data pool; the parameter holds JSON. */
export function topologyPairs(
  parameters: Readonly<Record<string, unknown>>,
): readonly { readonly pool: string | undefined; readonly dataPool: string | undefined }[] {
  const text = parameters['topologyConstrainedPools'];
  if (typeof text !== 'string') return [];
  try {
    const parsed: unknown = JSON.parse(text);
    return listAt({ parsed }, 'parsed').map((pool) => ({
      pool: textAt(pool, 'poolName'),
      dataPool: textAt(pool, 'dataPool'),
    }));
  } catch {
    return [];
  }
}
