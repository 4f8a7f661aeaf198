import type { GroupKind } from './reference.ts';
import type { ResourceType } from './resource-types.ts';

const ROOK = 'ceph.rook.io';

interface Names {
  readonly plural?: string;
  readonly shortNames?: readonly string[];
  readonly cluster?: boolean;
}

function type(group: string, version: string, kind: string, names: Names = {}): ResourceType {
  const singular = kind.toLowerCase();
  return {
    group,
    version,
    kind,
    singular,
    plural: names.plural ?? `${singular}s`,
    shortNames: names.shortNames ?? [],
    namespaced: names.cluster !== true,
  };
}

const rook = (kind: string, names?: Names): ResourceType => type(ROOK, 'v1', kind, names);

/** Every kind that a rule or a question names: all of Rook-Ceph v1.20, and those of CSI, buckets and Kubernetes around it. */
export const Kinds = {
  CephCluster: rook('CephCluster', { shortNames: ['ceph'] }),
  CephBlockPool: rook('CephBlockPool', { shortNames: ['cephbp'] }),
  CephBlockPoolRadosNamespace: rook('CephBlockPoolRadosNamespace', { shortNames: ['cephbprns', 'cephrns'] }),
  CephFilesystem: rook('CephFilesystem', { shortNames: ['cephfs'] }),
  CephFilesystemSubVolumeGroup: rook('CephFilesystemSubVolumeGroup', {
    shortNames: ['cephfssvg', 'cephsvg'],
  }),
  CephFilesystemMirror: rook('CephFilesystemMirror', { shortNames: ['cephfsm'] }),
  CephRBDMirror: rook('CephRBDMirror', { shortNames: ['cephrbdm'] }),
  CephNFS: rook('CephNFS', { plural: 'cephnfses', shortNames: ['nfs'] }),
  CephNVMeOFGateway: rook('CephNVMeOFGateway', { shortNames: ['nvmeof'] }),
  CephObjectStore: rook('CephObjectStore', { shortNames: ['cephos'] }),
  CephObjectStoreUser: rook('CephObjectStoreUser', { shortNames: ['rcou', 'objectuser', 'cephosu'] }),
  CephObjectStoreAccount: rook('CephObjectStoreAccount'),
  CephObjectRealm: rook('CephObjectRealm', { shortNames: ['cephor'] }),
  CephObjectZoneGroup: rook('CephObjectZoneGroup', { shortNames: ['cephozg'] }),
  CephObjectZone: rook('CephObjectZone', { shortNames: ['cephoz'] }),
  CephBucketTopic: rook('CephBucketTopic', { shortNames: ['cephbt'] }),
  CephBucketNotification: rook('CephBucketNotification', { shortNames: ['cephbn'] }),
  CephClient: rook('CephClient', { shortNames: ['cephcl'] }),
  CephCOSIDriver: rook('CephCOSIDriver', { shortNames: ['cephcosi'] }),

  ObjectBucketClaim: type('objectbucket.io', 'v1alpha1', 'ObjectBucketClaim', {
    shortNames: ['obc', 'obcs'],
  }),
  ObjectBucket: type('objectbucket.io', 'v1alpha1', 'ObjectBucket', {
    shortNames: ['ob', 'obs'],
    cluster: true,
  }),
  CephConnection: type('csi.ceph.io', 'v1', 'CephConnection'),
  ClientProfile: type('csi.ceph.io', 'v1', 'ClientProfile'),
  CosiBucket: type('objectstorage.k8s.io', 'v1alpha1', 'Bucket', { cluster: true }),
  CosiBucketClaim: type('objectstorage.k8s.io', 'v1alpha1', 'BucketClaim'),
  CosiBucketAccess: type('objectstorage.k8s.io', 'v1alpha1', 'BucketAccess', { plural: 'bucketaccesses' }),
  VolumeSnapshotContent: type('snapshot.storage.k8s.io', 'v1', 'VolumeSnapshotContent', {
    shortNames: ['vsc', 'vscs'],
    cluster: true,
  }),
  VolumeSnapshot: type('snapshot.storage.k8s.io', 'v1', 'VolumeSnapshot', { shortNames: ['vs'] }),

  Usage: type('rook-deps.io', 'v1alpha1', 'Usage', { shortNames: ['rdu'] }),
  CriticalService: type('rook-deps.io', 'v1alpha1', 'CriticalService', {
    shortNames: ['rdcs'],
    cluster: true,
  }),
  ClusterUsage: type('rook-deps.io', 'v1alpha1', 'ClusterUsage', { shortNames: ['rdcu'], cluster: true }),

  StorageComposite: type('rook-deps.io', 'v1alpha1', 'StorageComposite', {
    shortNames: ['rdsco'],
    cluster: true,
  }),
  StorageClaim: type('rook-deps.io', 'v1alpha1', 'StorageClaim', { shortNames: ['rdsc'] }),

  StorageClass: type('storage.k8s.io', 'v1', 'StorageClass', {
    plural: 'storageclasses',
    shortNames: ['sc'],
    cluster: true,
  }),
  VolumeAttachment: type('storage.k8s.io', 'v1', 'VolumeAttachment', { cluster: true }),
  PersistentVolume: type('', 'v1', 'PersistentVolume', { shortNames: ['pv'], cluster: true }),
  PersistentVolumeClaim: type('', 'v1', 'PersistentVolumeClaim', { shortNames: ['pvc'] }),
  Pod: type('', 'v1', 'Pod', { shortNames: ['po'] }),
  Secret: type('', 'v1', 'Secret'),
  ConfigMap: type('', 'v1', 'ConfigMap', { shortNames: ['cm'] }),
  Service: type('', 'v1', 'Service', { shortNames: ['svc'] }),
  Node: type('', 'v1', 'Node', { shortNames: ['no'], cluster: true }),
  Deployment: type('apps', 'v1', 'Deployment', { shortNames: ['deploy'] }),
  PodDisruptionBudget: type('policy', 'v1', 'PodDisruptionBudget', { shortNames: ['pdb'] }),
} as const satisfies Record<string, ResourceType>;

/** What saved manifests are searched for, and how their kinds are called. A live server is asked instead. */
export const KNOWN_TYPES: readonly ResourceType[] = Object.values(Kinds);

/** The 19 kinds of Rook itself. */
export const ROOK_KINDS: readonly ResourceType[] = KNOWN_TYPES.filter(({ group }) => group === ROOK);

export function isRookKind({ group }: GroupKind): boolean {
  return group === ROOK;
}
