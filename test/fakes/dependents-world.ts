import {
  dependentsReconciler,
  findNow,
  withContents,
  type DependentsPorts,
  type Finding,
} from '#pkg/dependents';
import { isTerminating, keyOf, listAt, refOf, textAt, type KubeObject, type ObjectRef } from '#pkg/object';
import type { Outcome } from '#pkg/runtime';
import { DependencyIndex } from '#pkg/rules';
import { FakeClock } from './fake-clock.ts';
import { FakeCluster } from './fake-cluster.ts';
import { fakeReader, type Refusal } from './reader.ts';

export const SIGNAL = new AbortController().signal;
export const FINALIZER = 'rook-deps.io/dependents';

/** What holds these objects in a world of these others. */
export function finds(
  subject: KubeObject,
  others: readonly KubeObject[],
  refusals: readonly Refusal[] = [],
): Promise<Finding> {
  const reader = fakeReader([subject, ...others], refusals);
  return findNow(reader, [subject], SIGNAL).then(([finding]) => finding as Finding);
}

/** `Kind: names` of a finding, as a message shows them. */
export function named({ blockers }: Finding): readonly string[] {
  return blockers.map(({ kind, name }) => `${kind}/${name}`);
}

/** The reconciler on a cluster that does not exist, with a cache that the test may stop. */
export class DependentsWorld {
  readonly clock = new FakeClock();
  readonly cluster: FakeCluster;
  readonly events: { readonly reason: string; readonly note: string }[] = [];
  /** What the cache has; follows the cluster unless it is set. */
  frozen: readonly KubeObject[] | undefined;
  isComplete = true;
  isSettled = true;
  refusals: readonly Refusal[] = [];
  /** Names of resources that Ceph is to be asked about, with what it holds for them. */
  readonly dataHolders = new Map<string, readonly string[]>();
  readonly #reconciler = dependentsReconciler(this.#ports());

  constructor(...objects: readonly KubeObject[]) {
    this.cluster = new FakeCluster(this.clock.now, objects);
  }

  all(): readonly KubeObject[] {
    return this.cluster.state() as readonly KubeObject[];
  }

  reconcile(object: KubeObject): Promise<Outcome> {
    return this.#reconciler.reconcile(refOf(object), SIGNAL);
  }

  at(object: KubeObject): KubeObject | undefined {
    return this.cluster.at(refOf(object));
  }

  finalizers(object: KubeObject): readonly string[] {
    return this.at(object)?.metadata.finalizers ?? [];
  }

  /** `status/reason` of a condition. */
  condition(object: KubeObject, type = 'DeletionIsBlocked'): string | undefined {
    const found = listAt(this.at(object), 'status', 'conditions').find((one) => textAt(one, 'type') === type);
    return found === undefined ? undefined : `${textAt(found, 'status')}/${textAt(found, 'reason')}`;
  }

  message(object: KubeObject, type = 'DeletionIsBlocked'): string | undefined {
    const found = listAt(this.at(object), 'status', 'conditions').find((one) => textAt(one, 'type') === type);
    return textAt(found, 'message');
  }

  #find(resource: KubeObject): Promise<Finding> {
    const find = withContents((subject) => finds(subject, this.all(), this.refusals), {
      contents: {
        contentsOf: async ({ metadata }) => {
          const names = this.dataHolders.get(metadata.name) ?? [];
          return { items: names.map((name) => ({ kind: 'RBDImage', name })), gaps: [] };
        },
      },
      takenAlong: async () => ({ items: [], gaps: [] }),
    });
    return find(resource, SIGNAL);
  }

  #cached(): readonly KubeObject[] {
    return this.frozen ?? this.all();
  }

  #held(resource: KubeObject): readonly ObjectRef[] {
    const { graph } = new DependencyIndex(this.#cached());
    return graph
      .edgesAt(keyOf(refOf(resource)), 'dependents')
      .filter(({ blocks }) => blocks)
      .map(({ dependent }) => dependent);
  }

  #ports(): DependentsPorts {
    const isComplete = (): boolean => this.isComplete;
    const isSettled = (): boolean => this.isSettled;
    return {
      get: (ref) => this.cluster.get(ref),
      writer: { patch: (ref, change, signal) => this.cluster.writer.patch(ref, change, signal) },
      clock: this.clock,
      record: async (_object, reason, note) => void this.events.push({ reason, note }),
      mayHoldData: (resource) => this.dataHolders.has(resource.metadata.name),
      find: (resource) => this.#find(resource),
      cache: {
        kept: (ref) => {
          const object = this.#cached().find((one) => keyOf(refOf(one)) === keyOf(ref));
          if (!object) return undefined;
          const isForced = object.metadata.annotations?.['rook-deps.io/force-delete'] !== undefined;
          const { uid = '', resourceVersion = '', finalizers = [] } = object.metadata;
          return { ref, uid, resourceVersion, object, finalizers, isForced };
        },
        isHeld: (resource) => this.#held(resource).length > 0,
        held: (resource) => {
          const counts: Record<string, number> = {};
          const blockers = this.#held(resource).map((ref) => ({ ...ref, code: 'RD000' }));
          for (const { kind } of blockers) counts[kind] = (counts[kind] ?? 0) + 1;
          return { blockers, counts, gaps: [] };
        },
        get isComplete() {
          return isComplete();
        },
        get isSettled() {
          return isSettled();
        },
      },
    };
  }
}

/** As the API server leaves an object whose deletion was asked for. */
export function deleted(object: KubeObject, finalizers: readonly string[] = [FINALIZER]): KubeObject {
  if (isTerminating(object)) return object;
  return {
    ...object,
    metadata: { ...object.metadata, deletionTimestamp: '2030-01-01T00:00:00Z', finalizers },
  };
}
