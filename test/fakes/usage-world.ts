import type { AdmissionRequest } from '#pkg/admission';
import { keyOf, listAt, textAt, type KubeObject, type ObjectRef } from '#pkg/object';
import type { Outcome, Reconciler } from '#pkg/runtime';
import { CLUSTER_USAGE, parseUsage, USAGE, usageReconciler, type Usage, type UsagePorts } from '#pkg/usage';
import { FakeClock } from './fake-clock.ts';
import { FakeCluster, type Call } from './fake-cluster.ts';

export const SIGNAL = new AbortController().signal;
export const FINALIZED = ['rook-deps.io/usage'];
export const MARKED = { 'rook-deps.io/in-use': 'true' };

type Meta = Partial<KubeObject['metadata']>;

export function configMap(name: string, metadata: Meta = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'here', ...metadata } };
}

export function namespace(name: string, metadata: Meta = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...metadata } };
}

export function side(name: string, more: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', resourceRef: { name }, ...more };
}

export function selecting(matchLabels: object, more: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', resourceSelector: { matchLabels, ...more } };
}

export function usageObject(spec: object, metadata: Meta = {}, status: object = {}): KubeObject {
  return {
    apiVersion: 'rook-deps.io/v1alpha1',
    kind: 'Usage',
    metadata: { name: 'usage', namespace: 'here', ...metadata },
    spec,
    status,
  };
}

export function usage(spec: object, metadata: Meta = {}, status: object = {}): Usage {
  return parseUsage(usageObject(spec, metadata, status));
}

export function deletionOf(oldObject: KubeObject, more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    uid: 'review',
    operation: 'DELETE',
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    userInfo: { username: 'ada', uid: '7', groups: ['dev'], extra: {} },
    dryRun: false,
    options: {},
    oldObject,
    ...more,
  };
}

export const USAGE_REF: ObjectRef = {
  group: 'rook-deps.io',
  kind: 'Usage',
  namespace: 'here',
  name: 'usage',
};
export const USED_REF: ObjectRef = { group: '', kind: 'ConfigMap', namespace: 'here', name: 'used' };
export const USING_REF: ObjectRef = { ...USED_REF, name: 'using' };
export const NAMESPACE_REF: ObjectRef = { group: '', kind: 'Namespace', name: 'here' };

/** The reconciler on a cluster that does not exist. */
export class UsageWorld {
  readonly clock = new FakeClock();
  readonly cluster: FakeCluster;
  readonly events: string[] = [];
  /** Users who may not delete anything. */
  readonly powerless = new Set<string>();
  /** Keys of what another protection wants to be marked. */
  readonly wantedElsewhere = new Set<string>();
  #reconciler: Reconciler<ObjectRef> | undefined;

  constructor(...objects: readonly KubeObject[]) {
    this.cluster = new FakeCluster(this.clock.now, [namespace('here'), ...objects]);
  }

  get ports(): UsagePorts {
    const { cluster, clock } = this;
    return {
      get: cluster.get,
      list: cluster.list,
      types: async () => cluster.types,
      allUsages: async (signal) => {
        const lists = [USAGE, CLUSTER_USAGE].map((kind) =>
          this.ports.list({ kind, detail: 'object' }, signal),
        );
        return (await Promise.all(lists)).flatMap(({ items }) => items).map(parseUsage);
      },
      writer: cluster.writer,
      isWantedElsewhere: async (ref) => this.wantedElsewhere.has(keyOf(ref)),
      mayDelete: async ({ username }) => !this.powerless.has(username),
      record: async (object, reason) => void this.events.push(`${reason} ${object.metadata.name}`),
      clock,
    };
  }

  reconcile(ref: ObjectRef = USAGE_REF): Promise<Outcome> {
    this.#reconciler ??= usageReconciler(this.ports);
    return this.#reconciler.reconcile(ref, SIGNAL);
  }

  /** Lets a call fail with 500, as often as it is made. */
  failOn(meant: (call: Call) => boolean, error: Error = new Error('boom')): void {
    this.cluster.before = (call) => {
      if (meant(call)) throw error;
    };
  }

  /** Requests deletion as a user does. */
  async deleteUsage(ref: ObjectRef = USAGE_REF): Promise<void> {
    await this.cluster.writer.delete(ref, {}, SIGNAL);
    this.cluster.calls.length = 0;
  }

  /** `status/reason` of the Ready condition. */
  ready(ref: ObjectRef = USAGE_REF): string {
    const [condition] = listAt(this.cluster.at(ref), 'status', 'conditions');
    return `${textAt(condition, 'status')}/${textAt(condition, 'reason')}`;
  }

  message(ref: ObjectRef = USAGE_REF): string | undefined {
    const [condition] = listAt(this.cluster.at(ref), 'status', 'conditions');
    return textAt(condition, 'message');
  }

  isMarked(ref: ObjectRef): boolean {
    return this.cluster.at(ref)?.metadata.labels?.['rook-deps.io/in-use'] === 'true';
  }
}

/** The calls that change this object. */
export function writesTo(world: UsageWorld, ref: ObjectRef): readonly Call[] {
  return world.cluster.writes.filter(({ key }) => key === keyOf(ref));
}
