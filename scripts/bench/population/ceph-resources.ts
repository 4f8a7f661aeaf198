import { Kinds, type ResourceType } from '#pkg/object';
import { cyclic, numbered, type Seed } from './seed.ts';

export const ROOK_NAMESPACE = 'rook-ceph';
/** The pool that the benchmark asks about; most volumes are in it. */
export const MAIN_POOL = 'replicapool';

export const POOLS = [MAIN_POOL, ...numbered('pool', 19)];
export const RADOS_NAMESPACES = numbered('tenant', 40);
export const FILESYSTEMS = numbered('fs', 6);
const STORES = numbered('store', 6);
const ACCOUNTS = numbered('account', 10);
const ZONES = numbered('zone', 4);
const TOPICS = numbered('topic', 20);

const REPLICATED = { failureDomain: 'host', replicated: { size: 3, requireSafeReplicaSize: true } };

export const CEPH_CLUSTER: Seed = {
  ...rook(Kinds.CephCluster, ROOK_NAMESPACE, {
    cephVersion: { image: 'quay.io/ceph/ceph:v20.2.4' },
    dataDirHostPath: '/var/lib/rook',
    mon: { count: 3 },
    mgr: { count: 2, modules: [{ name: 'rook', enabled: true }] },
    dashboard: { enabled: true, ssl: true },
    disruptionManagement: { managePodBudgets: true, osdMaintenanceTimeout: 30 },
    storage: { useAllNodes: true, useAllDevices: false, deviceFilter: '^nvme[1-4]n1$' },
  }),
  status: { phase: 'Ready', state: 'Created', ceph: { health: 'HEALTH_OK' } },
};

/** The 299 resources besides the cluster: with it, 300 of all 19 kinds of Rook. */
export function cephResources(): readonly Seed[] {
  return [...block(), ...files(), ...objects(), ...clients()];
}

export function poolId(pool: string): number {
  return POOLS.indexOf(pool) + 2;
}

/** The pool of a rados namespace: every other tenant lives in the main pool. */
export function poolOfTenant(at: number): string {
  return at % 2 === 0 ? MAIN_POOL : cyclic(POOLS, at);
}

function rook(
  type: ResourceType,
  name: string,
  spec: Readonly<Record<string, unknown>>,
  status: Readonly<Record<string, unknown>> = {},
): Seed {
  return {
    type,
    name,
    namespace: ROOK_NAMESPACE,
    finalizers: [`${type.singular}.${type.group}`],
    fields: { spec },
    // The only kind without a status subresource.
    ...(type === Kinds.CephCOSIDriver ? {} : { status: { phase: 'Ready', ...status } }),
  };
}

function block(): readonly Seed[] {
  const mirroring = { enabled: true, mode: 'image' };
  return [
    ...POOLS.map((name, at) =>
      rook(
        Kinds.CephBlockPool,
        name,
        { ...REPLICATED, ...(at % 5 === 0 ? { mirroring } : {}) },
        { poolID: poolId(name), info: { type: 'Replicated', failureDomain: 'host' } },
      ),
    ),
    ...RADOS_NAMESPACES.map((name, at) =>
      rook(Kinds.CephBlockPoolRadosNamespace, name, { blockPoolName: poolOfTenant(at) }),
    ),
    rook(Kinds.CephRBDMirror, 'rbd-mirror', { count: 1 }),
    rook(Kinds.CephNVMeOFGateway, 'nvmeof', { group: 'group-a', instances: 1, pool: 'pool-0' }),
  ];
}

function files(): readonly Seed[] {
  return [
    ...FILESYSTEMS.map((name) =>
      rook(Kinds.CephFilesystem, name, {
        metadataPool: REPLICATED,
        dataPools: [{ name: 'replicated', ...REPLICATED }],
        metadataServer: { activeCount: 1, activeStandby: true },
      }),
    ),
    ...numbered('group', 24).map((name, at) =>
      rook(Kinds.CephFilesystemSubVolumeGroup, name, { filesystemName: cyclic(FILESYSTEMS, at) }),
    ),
    rook(Kinds.CephFilesystemMirror, 'fs-mirror', {}),
    ...numbered('nfs', 3).map((name) => rook(Kinds.CephNFS, name, { server: { active: 1 } })),
  ];
}

function objects(): readonly Seed[] {
  return [
    ...STORES.map((name, at) =>
      rook(Kinds.CephObjectStore, name, {
        gateway: { port: 80, instances: 2 },
        ...(at < ZONES.length
          ? { zone: { name: cyclic(ZONES, at) } }
          : { sharedPools: { metadataPoolName: 'pool-1', dataPoolName: 'pool-2' } }),
      }),
    ),
    ...ACCOUNTS.map((name, at) => rook(Kinds.CephObjectStoreAccount, name, { store: cyclic(STORES, at) })),
    ...numbered('user', 80).map((name, at) =>
      rook(Kinds.CephObjectStoreUser, name, { store: cyclic(STORES, at), displayName: `user ${at}` }),
    ),
    ...numbered('realm', 2).map((name, at) => rook(Kinds.CephObjectRealm, name, { defaultRealm: at === 0 })),
    ...numbered('zonegroup', 2).map((name, at) =>
      rook(Kinds.CephObjectZoneGroup, name, { realm: `realm-${at}` }),
    ),
    ...ZONES.map((name, at) =>
      rook(Kinds.CephObjectZone, name, {
        zoneGroup: `zonegroup-${at % 2}`,
        metadataPool: REPLICATED,
        dataPool: REPLICATED,
      }),
    ),
    ...TOPICS.map((name, at) =>
      rook(Kinds.CephBucketTopic, name, {
        objectStoreName: cyclic(STORES, at),
        objectStoreNamespace: ROOK_NAMESPACE,
        endpoint: { http: { uri: `http://listener-${at}.apps.svc:8080` } },
      }),
    ),
    ...numbered('notification', 28).map((name, at) =>
      rook(Kinds.CephBucketNotification, name, { topic: cyclic(TOPICS, at) }),
    ),
    rook(Kinds.CephCOSIDriver, 'cosi', { deploymentStrategy: 'Auto' }),
  ];
}

function clients(): readonly Seed[] {
  return numbered('client', 50).map((name, at) =>
    rook(Kinds.CephClient, name, {
      caps: { mon: 'profile rbd', osd: `profile rbd pool=${at % 5 === 0 ? MAIN_POOL : cyclic(POOLS, at)}` },
    }),
  );
}
