import type { Target } from './client.ts';

interface Meta {
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly object[];
}

/** Keeps an object terminating until the test takes it off. */
export const HELD = { finalizers: ['example.com/held'] };
export const LET_GO = { metadata: { finalizers: null } };
export const TEST_GROUP = 'test.example.com';

export function configMap(namespace: string, name: string, meta: Meta = {}): Target {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, ...meta } };
}

/** Of a cluster-scoped kind. */
export function gadget(name: string, meta: Meta = {}): Target {
  return { apiVersion: `${TEST_GROUP}/v1`, kind: 'Gadget', metadata: { name, ...meta } };
}

/** Of a namespaced kind with two versions. */
export function widget(namespace: string, name: string, meta: Meta = {}): Target {
  return { apiVersion: `${TEST_GROUP}/v1`, kind: 'Widget', metadata: { name, namespace, ...meta } };
}

export function blockPool(namespace: string, name: string): Target & { readonly spec: object } {
  return {
    apiVersion: 'ceph.rook.io/v1',
    kind: 'CephBlockPool',
    metadata: { name, namespace },
    spec: { replicated: { size: 3 } },
  };
}

export function definition(kind: string, scope: 'Cluster' | 'Namespaced', versions: readonly string[]) {
  const plural = `${kind.toLowerCase()}s`;
  const schema = {
    openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${TEST_GROUP}` },
    spec: {
      group: TEST_GROUP,
      scope,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: versions.map((name, index) => ({ name, served: true, storage: index === 0, schema })),
    },
  };
}

/** One side of a usage, by name. */
export function named({ apiVersion, kind, metadata: { name } }: Target, namespace?: string): object {
  return { apiVersion, kind, resourceRef: { name, ...(namespace ? { namespace } : {}) } };
}

/** One side of a usage, by selector. */
export function chosen({ apiVersion, kind }: Target, resourceSelector: object): object {
  return { apiVersion, kind, resourceSelector };
}

interface UsageSpec {
  readonly of: object;
  readonly by?: object;
  readonly reason?: string;
  readonly replayDeletion?: boolean;
}

export function usage(namespace: string, name: string, spec: UsageSpec, meta: Meta = {}): Target {
  return {
    apiVersion: 'rook-deps.io/v1alpha1',
    kind: 'Usage',
    metadata: { name, namespace, ...meta },
    spec,
  } as Target;
}

export function clusterUsage(name: string, spec: UsageSpec): Target {
  return {
    apiVersion: 'rook-deps.io/v1alpha1',
    kind: 'ClusterUsage',
    metadata: { name },
    spec,
  } as Target;
}

export function namespace(name: string): Target {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}
