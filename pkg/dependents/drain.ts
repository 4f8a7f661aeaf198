import type { Clock } from '#pkg/clock';
import { Limiter } from '#pkg/kube';
import {
  destroysData,
  isRookKind,
  isTerminating,
  numberAt,
  refOf,
  type KubeObject,
  type ObjectRef,
  type Writer,
} from '#pkg/object';
import { Backoff, lookAgain, waitForChange, type Outcome, type Reconciler } from '#pkg/runtime';
import { NAMESPACE } from './namespaces.ts';

export interface DrainPorts {
  /** A namespace that is being deleted, from the cache. */
  namespace(name: string): KubeObject | undefined;
  /** As the server has it now. */
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  /** Rook's resources in it, from the cache. */
  resourcesIn(namespace: string): readonly KubeObject[];
  isHeld(resource: KubeObject): boolean;
  readonly writer: Pick<Writer, 'delete' | 'patch'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Its change brings the namespace controller back within seconds. */
const DRAINED_LABEL = 'rook-deps.io/drained';
/** Short at first: a refusal may only mean that the cache is late. Later it means that somebody has to do something. */
const RETRY = { baseMs: 1_000, capMs: 60_000, jitter: 0.2 };

/** Each waits for the webhook, which may be this very process and needs connections of its own to answer. */
const MAX_AT_A_TIME = 3;

/**
 * Deletes what nothing depends on in a namespace that is being deleted. The namespace controller stops at the first
 * refusal of each kind and comes back after up to a minute; with a dozen layers that would be a dozen minutes.
 */
export function drainReconciler(ports: DrainPorts): Reconciler<string> {
  /** Lost with the process, which costs a minute at most: the namespace controller comes back by itself. */
  const helped = new Set<string>();
  const patience = new Patience();
  const limiter = new Limiter(MAX_AT_A_TIME);
  return {
    async reconcile(name, signal) {
      const namespace = ports.namespace(name);
      const resources = namespace ? ports.resourcesIn(name) : [];
      if (!namespace || resources.length === 0) {
        const wasHelped = helped.delete(name);
        return namespace && wasHelped ? wakeNamespaceController(namespace, ports, signal) : waitForChange;
      }
      helped.add(name);
      const free = resources.filter((resource) => isFree(resource, ports));
      if (free.length > 0 && !(await isStillGoing(namespace, ports, signal))) return waitForChange;
      const destroyed = free.filter(destroysData);
      const attempt = (resource: KubeObject): Promise<void> =>
        limiter.run(() => patience.attempt(resource, ports, signal), signal);
      await Promise.all(destroyed.map(attempt));
      // Once it is being deleted, nobody is asked about the others any more, not even a Ceph that may be gone already.
      const isUnderWay = destroyed.length > 0 && patience.waitMs(destroyed, ports.clock.now()) === undefined;
      if (isUnderWay) return lookAgain(RETRY.baseMs);
      await Promise.all(free.filter((resource) => !destroysData(resource)).map(attempt));
      const waitMs = patience.waitMs(free, ports.clock.now());
      return waitMs === undefined ? waitForChange : lookAgain(waitMs);
    },
  };
}

/** A cluster that is to be destroyed does not wait for what is in it: its deletion is what lets that go. */
function isFree(resource: KubeObject, { isHeld }: DrainPorts): boolean {
  return !isTerminating(resource) && (destroysData(resource) || !isHeld(resource));
}

/** A cache may know of a deletion that never was, as after the restore of a backup, or of an earlier namespace. */
async function isStillGoing(
  { metadata: { name, uid } }: KubeObject,
  { get }: DrainPorts,
  signal: AbortSignal,
): Promise<boolean> {
  const now = await get({ ...NAMESPACE, name }, signal);
  return now !== undefined && now.metadata.uid === uid && isTerminating(now);
}

/** Tries what was refused less and less often, whatever else changes: each try may be a question to Ceph. */
class Patience {
  readonly #backoff = new Backoff(RETRY);
  readonly #dueMs = new Map<string, number>();

  async attempt(resource: KubeObject, ports: DrainPorts, signal: AbortSignal): Promise<void> {
    const { uid = '' } = resource.metadata;
    if ((this.#dueMs.get(uid) ?? 0) > ports.clock.now()) return;
    if ((await remove(resource, ports, signal)) === 'refused') {
      this.#dueMs.set(uid, ports.clock.now() + this.#backoff.nextMs(uid));
      return;
    }
    this.#dueMs.delete(uid);
    this.#backoff.forget(uid);
  }

  /** Until the first of them may be tried again. */
  waitMs(resources: readonly KubeObject[], nowMs: number): number | undefined {
    const due = resources.flatMap(({ metadata: { uid = '' } }) => this.#dueMs.get(uid) ?? []);
    return due.length > 0 ? Math.max(0, Math.min(...due) - nowMs) : undefined;
  }
}

/** Asks the webhook like anybody: it looks again whether anything depends on the resource. */
async function remove(
  resource: KubeObject,
  { writer }: DrainPorts,
  signal: AbortSignal,
): Promise<'asked' | 'refused'> {
  const ref: ObjectRef = refOf(resource);
  if (!isRookKind(ref)) return 'asked';
  try {
    await writer.delete(ref, { uid: resource.metadata.uid, propagationPolicy: 'Background' }, signal);
    return 'asked';
  } catch (error) {
    // Replaced since, held after all, or nobody could tell.
    if (![409, 500, 503].includes(numberAt(error, 'status') ?? 0)) throw error;
    return 'refused';
  }
}

async function wakeNamespaceController(
  namespace: KubeObject,
  { writer }: DrainPorts,
  signal: AbortSignal,
): Promise<Outcome> {
  const { name, uid, labels } = namespace.metadata;
  if (labels?.[DRAINED_LABEL] !== undefined) return waitForChange;
  const body = { metadata: { uid, labels: { [DRAINED_LABEL]: 'true' } } };
  await writer.patch({ ...NAMESPACE, name }, { type: 'merge', body }, signal);
  return waitForChange;
}
