import { isTerminating, keyOf, type KubeObject, type ObjectRef } from '#pkg/object';
import { Backoff, lookAgain, waitForChange, type Outcome, type Reconciler } from '#pkg/runtime';
import { stateOf, type Finding } from './finding.ts';
import { Reporter, type ReporterPorts } from './reporter.ts';
import { releasedStatus } from './status.ts';
import { patchStatus } from './status-write.ts';
import { isForced, type Kept } from './kept.ts';

export const FINALIZER = 'rook-deps.io/dependents';

export interface DependentsPorts extends ReporterPorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  readonly cache: {
    kept(ref: ObjectRef): Kept | undefined;
    isHeld(resource: KubeObject): boolean;
    held(resource: KubeObject): Finding;
    readonly isComplete: boolean;
    /** Whether all that was seen has been taken in; nobody tells when. */
    readonly isSettled: boolean;
  };
  /** Whether Ceph is to be asked about a resource before it goes. */
  mayHoldData(resource: KubeObject): boolean;
  /** As things are now: nothing else releases a deletion. */
  find(resource: KubeObject, signal: AbortSignal): Promise<Finding>;
}

/** When the cache knows no blocker but a look does, or cannot tell: nobody tells when that is over. */
const LOOK_AGAIN = { baseMs: 5_000, capMs: 60_000, jitter: 0.2 };

/** Whether there is anything to do about a resource, as far as the cache knows. */
export function isDue(ref: ObjectRef, ports: Pick<DependentsPorts, 'cache' | 'mayHoldData'>): boolean {
  const kept = ports.cache.kept(ref);
  if (!kept?.object) return false;
  const isWanted = !kept.isForced && isNeeded(kept.object, ports);
  return isTerminating(kept.object) || isWanted !== kept.finalizers.includes(FINALIZER);
}

/** Ceph tells nobody when data come or go: what may hold some is taken for needed until its deletion is asked for. */
function isNeeded(
  object: KubeObject,
  { cache, mayHoldData }: Pick<DependentsPorts, 'cache' | 'mayHoldData'>,
): boolean {
  return cache.isHeld(object) || mayHoldData(object);
}

/** Keeps the finalizer on what is held, and reports deletions that are asked for nevertheless. */
export function dependentsReconciler(ports: DependentsPorts): Reconciler<ObjectRef> {
  const reporter = new Reporter(ports);
  const patience = new Backoff(LOOK_AGAIN);
  return {
    async reconcile(ref, signal) {
      // At rest nothing is asked, and nothing written.
      if (!isDue(ref, ports)) return waitForChange;
      const object = await ports.get(ref, signal);
      if (!object) return waitForChange;
      if (!isTerminating(object)) return keepFinalizer(ref, object, ports, signal);
      if (isForced(object)) return letGo(ref, object, ports, signal);
      const finding = await findingOn(object, ports, signal);
      if (stateOf(finding) === 'free') {
        reporter.forget(object);
        patience.forget(keyOf(ref));
        return release(ref, object, ports, signal);
      }
      const againMs = await reporter.report(ref, object, finding, signal);
      if (ports.cache.isHeld(object)) return againMs === undefined ? waitForChange : lookAgain(againMs);
      return lookAgain(Math.min(againMs ?? Infinity, patience.nextMs(keyOf(ref))));
    },
  };
}

/** What the cache knows is good enough to hold an object, but not to let it go. */
async function findingOn(object: KubeObject, ports: DependentsPorts, signal: AbortSignal): Promise<Finding> {
  return ports.cache.isHeld(object) ? ports.cache.held(object) : ports.find(object, signal);
}

/** On live objects as well: no finalizer can be added once a deletion has got past the webhook. */
async function keepFinalizer(
  ref: ObjectRef,
  object: KubeObject,
  ports: DependentsPorts,
  signal: AbortSignal,
): Promise<Outcome> {
  const isWanted = !isForced(object) && isNeeded(object, ports);
  const { finalizers = [] } = object.metadata;
  if (isWanted === finalizers.includes(FINALIZER)) return waitForChange;
  if (isWanted) await setFinalizers(ref, object, [...finalizers, FINALIZER], ports, signal);
  // Not before all is known: it would be taken off at every start.
  else if (ports.cache.isComplete || isForced(object)) await removeFinalizer(ref, object, ports, signal);
  else if (!ports.cache.isSettled) return lookAgain(LOOK_AGAIN.baseMs);
  return waitForChange;
}

async function letGo(
  ref: ObjectRef,
  object: KubeObject,
  ports: DependentsPorts,
  signal: AbortSignal,
): Promise<Outcome> {
  await removeFinalizer(ref, object, ports, signal);
  return waitForChange;
}

async function release(
  ref: ObjectRef,
  object: KubeObject,
  ports: DependentsPorts,
  signal: AbortSignal,
): Promise<Outcome> {
  const status = releasedStatus(object, ports.clock.now());
  // Before the finalizer: without it the object may be gone.
  const current = status ? await patchStatus(ref, object, { ...status }, ports, signal) : object;
  if (current) await removeFinalizer(ref, current, ports, signal);
  return waitForChange;
}

async function removeFinalizer(
  ref: ObjectRef,
  object: KubeObject,
  ports: DependentsPorts,
  signal: AbortSignal,
): Promise<void> {
  const { finalizers = [] } = object.metadata;
  if (!finalizers.includes(FINALIZER)) return;
  const left = finalizers.filter((name) => name !== FINALIZER);
  await setFinalizers(ref, object, left, ports, signal);
}

async function setFinalizers(
  ref: ObjectRef,
  { metadata: { uid, resourceVersion } }: KubeObject,
  finalizers: readonly string[],
  { writer }: DependentsPorts,
  signal: AbortSignal,
): Promise<void> {
  await writer.patch(
    ref,
    { type: 'merge', body: { metadata: { uid, resourceVersion, finalizers } } },
    signal,
  );
}
