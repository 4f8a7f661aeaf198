import { Kinds, type ResourceType } from '#pkg/object';
import { CEPH_CLUSTER, ROOK_NAMESPACE } from './ceph-resources.ts';
import { controlledBy, cyclic, numbered, type Create, type Created, type Seed } from './seed.ts';
import { APP_NAMESPACES, claimName } from './volumes.ts';

const REPLICA_SET: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  singular: 'replicaset',
  shortNames: [],
  namespaced: true,
};

const NODES = numbered('node', 24);

/** The daemons of the Ceph cluster: a deployment, a replica set and a pod each. */
export const DAEMONS = ['mon-a', 'mon-b', 'mon-c', 'mgr-a', 'mgr-b', ...numbered('osd', 24)];

/** A pod of an application, with the claim of the same number. */
export function appPod(at: number): Seed {
  const namespace = cyclic(APP_NAMESPACES, at);
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: claimName(at) } }];
  return pod(`app-${at}-0`, namespace, { app: `app-${at}` }, cyclic(NODES, at), volumes);
}

/** Makes one daemon as Rook and Kubernetes do: owned by the CephCluster, step by step. */
export async function createDaemon(
  create: Create,
  cluster: Created,
  daemon: string,
  at: number,
): Promise<void> {
  const name = `rook-ceph-${daemon}`;
  const labels = { app: name, rook_cluster: ROOK_NAMESPACE };
  const template = { metadata: { labels }, spec: podSpec(undefined, []) };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  const status = { replicas: 1, readyReplicas: 1, availableReplicas: 1, observedGeneration: 1 };
  const common = { namespace: ROOK_NAMESPACE, labels, fields: { spec }, status };
  const deployment = await create({
    ...common,
    type: Kinds.Deployment,
    name,
    owner: controlledBy(cluster),
  });
  const set = await create({
    ...common,
    type: REPLICA_SET,
    name: `${name}-6f7c9d5b8d`,
    owner: controlledBy(deployment),
  });
  await create({
    ...pod(`${set.name}-k4w9z`, ROOK_NAMESPACE, labels, cyclic(NODES, at), []),
    owner: controlledBy(set),
  });
}

/** What else Rook makes for a cluster and marks as its own. */
export function clusterBelongings(cluster: Created): readonly Seed[] {
  const own = { namespace: ROOK_NAMESPACE, owner: controlledBy(cluster) };
  const monitors = DAEMONS.filter((daemon) => daemon.startsWith('mon-'));
  return [
    { ...own, type: Kinds.ConfigMap, name: 'rook-ceph-mon-endpoints', fields: { data: { mapping: '{}' } } },
    {
      ...own,
      type: Kinds.Secret,
      name: 'rook-ceph-mon',
      fields: { stringData: { fsid: CEPH_CLUSTER.name } },
    },
    ...monitors.map((daemon) => ({
      ...own,
      type: Kinds.Service,
      name: `rook-ceph-${daemon}`,
      fields: { spec: { ports: [{ name: 'msgr2', port: 3300 }], selector: { app: `rook-ceph-${daemon}` } } },
    })),
  ];
}

function pod(
  name: string,
  namespace: string,
  labels: Record<string, string>,
  nodeName: string,
  volumes: readonly object[],
): Seed {
  const ready = ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
  return {
    type: Kinds.Pod,
    name,
    namespace,
    labels,
    fields: { spec: podSpec(nodeName, volumes) },
    status: {
      phase: 'Running',
      podIP: '10.244.1.23',
      conditions: ready.map((type) => ({ type, status: 'True', lastTransitionTime: '2026-11-03T07:01:10Z' })),
    },
  };
}

function podSpec(nodeName: string | undefined, volumes: readonly object[]): object {
  return {
    ...(nodeName ? { nodeName } : {}),
    containers: [
      {
        name: 'main',
        image: 'registry.example.com/app/server:1.14.2',
        env: [
          { name: 'LOG_LEVEL', value: 'info' },
          { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        ],
        ports: [{ containerPort: 8080 }],
        resources: { requests: { cpu: '250m', memory: '512Mi' }, limits: { memory: '1Gi' } },
        ...(volumes.length > 0 ? { volumeMounts: [{ name: 'data', mountPath: '/data' }] } : {}),
      },
    ],
    ...(volumes.length > 0 ? { volumes } : {}),
  };
}
