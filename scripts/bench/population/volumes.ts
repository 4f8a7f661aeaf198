import { Kinds } from '#pkg/object';
import { FILESYSTEMS, MAIN_POOL, poolId, POOLS, ROOK_NAMESPACE } from './ceph-resources.ts';
import { cyclic, numbered, uuidOf, type Created, type Seed } from './seed.ts';

export const APP_NAMESPACES = numbered('team', 20);
const CAPACITY = { storage: '20Gi' };
const ACCESS_MODES = ['ReadWriteOnce'];

type Driver = 'rbd' | 'cephfs';

interface Store {
  readonly driver: Driver;
  /** A pool, or a filesystem. */
  readonly name: string;
}

/** Of ten volumes, seven are in the main pool, two in the other pools, one in a filesystem. */
function storeOf(at: number): Store {
  if (at % 10 === 9) return { driver: 'cephfs', name: cyclic(FILESYSTEMS, Math.floor(at / 10)) };
  if (at % 10 >= 7) return { driver: 'rbd', name: cyclic(POOLS.slice(1), Math.floor(at / 5)) };
  return { driver: 'rbd', name: MAIN_POOL };
}

const className = ({ driver, name }: Store): string => `ceph-${driver}-${name}`;
const provisioner = (driver: Driver): string => `${ROOK_NAMESPACE}.${driver}.csi.ceph.com`;

/** One for each pool and filesystem. */
export function storageClasses(): readonly Seed[] {
  const stores: readonly Store[] = [
    ...POOLS.map((name) => ({ driver: 'rbd', name }) as const),
    ...FILESYSTEMS.map((name) => ({ driver: 'cephfs', name }) as const),
  ];
  return stores.map((store) => ({
    type: Kinds.StorageClass,
    name: className(store),
    fields: {
      provisioner: provisioner(store.driver),
      parameters: { ...storeParameters(store), ...secretParameters(store.driver) },
      allowVolumeExpansion: true,
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
    },
  }));
}

function storeParameters({ driver, name }: Store): Record<string, string> {
  return driver === 'rbd'
    ? { clusterID: ROOK_NAMESPACE, pool: name, imageFormat: '2', imageFeatures: 'layering' }
    : { clusterID: ROOK_NAMESPACE, fsName: name, pool: `${name}-replicated` };
}

function secretParameters(driver: Driver): Record<string, string> {
  const purposes = { provisioner: 'provisioner', 'controller-expand': 'provisioner', 'node-stage': 'node' };
  const entries = Object.entries(purposes).flatMap(([purpose, secret]) => [
    [`csi.storage.k8s.io/${purpose}-secret-name`, `rook-csi-${driver}-${secret}`],
    [`csi.storage.k8s.io/${purpose}-secret-namespace`, ROOK_NAMESPACE],
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

export const claimName = (at: number): string => `data-app-${at}`;
const volumeName = (at: number): string => `pvc-${uuidOf('claim', at)}`;

/** The claim of a volume, bound. */
export function claim(at: number): Seed {
  const store = storeOf(at);
  return {
    type: Kinds.PersistentVolumeClaim,
    namespace: cyclic(APP_NAMESPACES, at),
    name: claimName(at),
    labels: { app: `app-${at}` },
    annotations: {
      'pv.kubernetes.io/bind-completed': 'yes',
      'pv.kubernetes.io/bound-by-controller': 'yes',
      'volume.kubernetes.io/storage-provisioner': provisioner(store.driver),
    },
    fields: {
      spec: {
        accessModes: ACCESS_MODES,
        resources: { requests: CAPACITY },
        storageClassName: className(store),
        volumeMode: 'Filesystem',
        volumeName: volumeName(at),
      },
    },
    status: { phase: 'Bound', accessModes: ACCESS_MODES, capacity: CAPACITY },
  };
}

/** The volume that a claim is bound to, as ceph-csi's provisioner writes it. */
export function volume(at: number, { name, namespace, uid }: Created): Seed {
  const store = storeOf(at);
  const { driver } = store;
  const secret = (use: string) => ({ name: `rook-csi-${driver}-${use}`, namespace: ROOK_NAMESPACE });
  return {
    type: Kinds.PersistentVolume,
    name: volumeName(at),
    annotations: {
      'pv.kubernetes.io/provisioned-by': provisioner(driver),
      'volume.kubernetes.io/provisioner-deletion-secret-name': secret('provisioner').name,
      'volume.kubernetes.io/provisioner-deletion-secret-namespace': ROOK_NAMESPACE,
    },
    finalizers: ['external-provisioner.volume.kubernetes.io/finalizer'],
    fields: {
      spec: {
        accessModes: ACCESS_MODES,
        capacity: CAPACITY,
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
        csi: {
          driver: provisioner(driver),
          fsType: 'ext4',
          controllerExpandSecretRef: secret('provisioner'),
          nodeStageSecretRef: secret('node'),
          volumeAttributes: volumeAttributes(at, store),
          volumeHandle: volumeHandle(at, store),
        },
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: className(store),
        volumeMode: 'Filesystem',
      },
    },
    status: { phase: 'Bound' },
  };
}

function volumeAttributes(at: number, store: Store): Record<string, string> {
  const image = `csi-vol-${uuidOf('image', at)}`;
  return {
    ...storeParameters(store),
    ...(store.driver === 'rbd'
      ? { imageName: image, journalPool: store.name }
      : { subvolumeName: image, subvolumePath: `/volumes/csi/${image}/${uuidOf('path', at)}` }),
    'storage.kubernetes.io/csiProvisionerIdentity': `1772440015838-4026-${provisioner(store.driver)}`,
  };
}

/** ceph-csi's composition: version, length of the clusterID, the clusterID, number of the pool, UUID of the image. */
function volumeHandle(at: number, { driver, name }: Store): string {
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
  const location = driver === 'rbd' ? poolId(name) : FILESYSTEMS.indexOf(name) + 1;
  const cluster = `${hex(ROOK_NAMESPACE.length, 4)}-${ROOK_NAMESPACE}`;
  return `0001-${cluster}-${hex(location, 16)}-${uuidOf('image', at)}`;
}
