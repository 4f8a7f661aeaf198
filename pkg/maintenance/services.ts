import { isReadyPod } from '#pkg/drain';
import { textAt, type KubeObject } from '#pkg/object';

/** A service of Ceph that daemons on the node give: a gateway's, a filesystem's. */
export interface Service {
  readonly app: string;
  /** Of the store, the filesystem or the like; empty where a cluster has only one such service. */
  readonly name: string;
}

interface ServiceKind {
  /** The label of its pods that has the name. */
  readonly label?: string;
  /** What one of its pods is. */
  readonly daemon: string;
  readonly of?: string;
  /** What becomes of it while none runs. */
  readonly without: string;
}

const AWAY = 'it is away until one runs elsewhere';
const UNMIRRORED = 'nothing is mirrored until it runs elsewhere';

const KINDS: ReadonlyMap<string, ServiceKind> = new Map([
  [
    'rook-ceph-mgr',
    { daemon: 'manager', without: 'until it runs elsewhere nobody knows how the data is, and no OSD goes' },
  ],
  [
    'rook-ceph-mds',
    { label: 'rook_file_system', daemon: 'metadata server', of: 'filesystem', without: AWAY },
  ],
  ['rook-ceph-rgw', { label: 'rook_object_store', daemon: 'gateway', of: 'object store', without: AWAY }],
  ['rook-ceph-nfs', { label: 'ceph_nfs', daemon: 'server', of: 'NFS', without: AWAY }],
  ['rook-ceph-rbd-mirror', { daemon: 'mirror of RBD images', without: UNMIRRORED }],
  ['rook-ceph-fs-mirror', { daemon: 'mirror of filesystems', without: UNMIRRORED }],
]);

export const SERVICE_APPS: readonly string[] = [...KINDS.keys()];
export const METADATA_SERVER = 'rook-ceph-mds';
export const MANAGER = 'rook-ceph-mgr';

/** Undefined for a pod that is none of these. */
export function serviceOf({ metadata }: KubeObject): Service | undefined {
  const app = metadata.labels?.['app'] ?? '';
  const kind = KINDS.get(app);
  return kind && { app, name: (kind.label && metadata.labels?.[kind.label]) ?? '' };
}

/** As Ceph knows it. */
export function metadataServerName({ metadata }: KubeObject): readonly string[] {
  const { app, mds, ceph_daemon_id: id } = metadata.labels ?? {};
  const name = mds ?? id;
  return app === METADATA_SERVER && name !== undefined ? [name] : [];
}

/** `gateway of object store s3`. */
export function daemonWords({ app, name }: Service): string {
  const { daemon = app, of = '' } = KINDS.get(app) ?? {};
  return name ? `${daemon} of ${of} ${name}` : daemon;
}

/** `object store s3 has no other gateway: it is away until one runs elsewhere`. */
export function lonelyWords({ app, name }: Service, cluster: string): string {
  const { daemon = app, of = '', without = AWAY } = KINDS.get(app) ?? {};
  const what = name ? `${of} ${name}` : `CephCluster ${cluster}`;
  return `${what} has no other ${daemon}: ${without}`;
}

/** The services that pods on the node give, and no ready pod elsewhere. */
export function loneServices(
  own: readonly KubeObject[],
  all: readonly KubeObject[],
  node: string,
): readonly Service[] {
  const elsewhere = all.filter(
    (pod) =>
      textAt(pod, 'spec', 'nodeName') !== node &&
      pod.metadata.deletionTimestamp === undefined &&
      isReadyPod(pod),
  );
  const others = new Set(elsewhere.map(keyOf));
  const here = new Map(own.map((pod) => [keyOf(pod), serviceOf(pod)]));
  return [...here].flatMap(([key, service]) => (service && !others.has(key) ? [service] : []));
}

function keyOf(pod: KubeObject): string {
  const service = serviceOf(pod);
  return service ? `${service.app}/${service.name}` : '';
}
