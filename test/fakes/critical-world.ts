import {
  CRITICAL_SERVICE,
  criticalServiceReconciler,
  parseCriticalService,
  type CriticalService,
  type CriticalServicePorts,
} from '#pkg/criticalservice';
import {
  keyOf,
  KNOWN_TYPES,
  listAt,
  ResourceTypes,
  textAt,
  type KubeObject,
  type ObjectRef,
} from '#pkg/object';
import type { Outcome } from '#pkg/runtime';
import { FakeClock } from './fake-clock.ts';
import { FakeCluster } from './fake-cluster.ts';
import { SIGNAL } from './usage-world.ts';

export const PROVIDER = { group: 'apps', resource: 'deployments', namespace: 'here', name: 'server' };
export const PROVIDER_REF: ObjectRef = {
  group: 'apps',
  kind: 'Deployment',
  namespace: 'here',
  name: 'server',
};
export const HOME_REF: ObjectRef = { group: '', kind: 'Namespace', name: 'here' };
export const SERVICE_REF: ObjectRef = { group: 'rook-deps.io', kind: 'CriticalService', name: 'service' };
export const POOLS = {
  type: 'Finalizer',
  finalizer: { group: 'ceph.rook.io', resource: 'cephblockpools', finalizerName: 'f' },
};

type Meta = Partial<KubeObject['metadata']>;

export function deploymentObject(metadata: Meta = {}): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'server', namespace: 'here', ...metadata },
  };
}

export function homeObject(metadata: Meta = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'here', ...metadata } };
}

export function poolObject(name = 'pool', finalizers: readonly string[] = ['f']): KubeObject {
  return {
    apiVersion: 'ceph.rook.io/v1',
    kind: 'CephBlockPool',
    metadata: { name, namespace: 'there', finalizers },
  };
}

export function serviceObject(spec: object = {}, metadata: Meta = {}, status: object = {}): KubeObject {
  return {
    apiVersion: 'rook-deps.io/v1alpha1',
    kind: 'CriticalService',
    metadata: { name: 'service', ...metadata },
    spec: { provider: PROVIDER, criteria: [POOLS], ...spec },
    status,
  };
}

/** The reconciler of critical services on a cluster that does not exist. */
export class CriticalWorld {
  readonly clock = new FakeClock();
  readonly cluster: FakeCluster;
  readonly events: string[] = [];
  /** Users who may not delete anything. */
  readonly powerless = new Set<string>();

  constructor(...objects: readonly KubeObject[]) {
    this.cluster = new FakeCluster(this.clock.now, [homeObject(), ...objects]);
    const more = this.cluster.types.all();
    this.cluster.types = new ResourceTypes([...KNOWN_TYPES, ...more]);
  }

  get ports(): CriticalServicePorts {
    const { cluster, clock } = this;
    return {
      get: cluster.get,
      types: async () => cluster.types,
      holders: async (kind, finalizer) => this.holders(kind, finalizer),
      definitions: async () => cluster.ofKind('apiextensions.k8s.io/CustomResourceDefinition'),
      allServices: async () => {
        const { items } = await cluster.list({ kind: CRITICAL_SERVICE, detail: 'object' });
        return items.map(parseCriticalService);
      },
      standing: (criterion) => {
        if (criterion.type !== 'Finalizer') throw new Error('not faked');
        const type = cluster.types.resolve(`${criterion.resource}.${criterion.group}`);
        const names = type ? this.holders(type, criterion.finalizerName) : [];
        const state = names.length > 0 ? 'unmet' : 'met';
        const [name] = names;
        const first =
          type && name ? { group: type.group, kind: type.kind, namespace: 'there', name } : undefined;
        const message = `${names.length} left`;
        return { criterion, state, count: names.length, examples: names, first, message };
      },
      writer: cluster.writer,
      mayDelete: async ({ username }) => !this.powerless.has(username),
      record: async (object, reason) => void this.events.push(`${reason} ${object.metadata.name}`),
      clock,
    };
  }

  holders(kind: { readonly group: string; readonly kind: string }, finalizer: string): readonly string[] {
    return this.cluster
      .ofKind(`${kind.group}/${kind.kind}`)
      .filter(({ metadata }) => metadata.finalizers?.includes(finalizer))
      .map(({ metadata }) => metadata.name);
  }

  reconcile(): Promise<Outcome> {
    return criticalServiceReconciler(this.ports).reconcile(SERVICE_REF, SIGNAL);
  }

  service(): CriticalService {
    const object = this.cluster.at(SERVICE_REF);
    if (!object) throw new Error('there is no service');
    return parseCriticalService(object);
  }

  /** `status/reason` of a condition. */
  condition(type: string): string {
    const found = listAt(this.cluster.at(SERVICE_REF), 'status', 'conditions').find(
      (condition) => textAt(condition, 'type') === type,
    );
    return `${textAt(found, 'status') ?? ''}/${textAt(found, 'reason') ?? ''}`;
  }

  isMarked(ref: ObjectRef): boolean {
    return this.cluster.at(ref)?.metadata.labels?.['rook-deps.io/critical'] === 'true';
  }

  deleted(): readonly string[] {
    return this.cluster.deletions.map(({ key }) => key);
  }
}

export const KEYS = {
  provider: keyOf(PROVIDER_REF),
  home: keyOf(HOME_REF),
  service: keyOf(SERVICE_REF),
};
