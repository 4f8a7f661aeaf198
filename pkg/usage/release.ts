import { isTerminating, keyOf, type KubeObject, type ObjectRef } from '#pkg/object';
import { lookAgain, waitForChange, type Outcome } from '#pkg/runtime';
import { marksToRemove, mark, unmark } from './marks.ts';
import type { UsagePorts } from './reconciler.ts';
import { replay } from './replay.ts';
import { statusPatch } from './status.ts';
import { targetOf, typesFor } from './target.ts';
import { FINALIZER, parseUsage, type Usage } from './usage.ts';
import { removeFinalizer } from './usage-writes.ts';

/** How long a deleted usage waits to see whether what uses it is deleted in the same breath. */
const SETTLE_MS = 2_000;

/** Lets a deleted usage go, in order: what uses it, the marks, the deletions it held back, itself. */
export async function release(usage: Usage, ports: UsagePorts, signal: AbortSignal): Promise<Outcome> {
  if (!usage.object.metadata.finalizers?.includes(FINALIZER)) return waitForChange;
  const types = await typesFor(usage, ports, signal);
  const ref = usage.by && targetOf(usage.by, usage, types);
  const using = ref && (await ports.get(ref, signal));
  if (using && !usage.isReleased) {
    const wait = waitFor(usage, using, ports.clock.now());
    if (wait !== undefined) return waiting(usage, using, wait, ports, signal);
  }
  const released = await markReleased(usage, ports, signal);
  if (!released) return waitForChange;
  await removeMarks(released, ports, signal);
  await replay(released, ports, signal);
  await removeFinalizer(released, FINALIZER, ports, signal);
  return waitForChange;
}

/** Milliseconds to wait for what uses it, Infinity for its end, undefined for not at all. */
function waitFor(usage: Usage, using: KubeObject, now: number): number | undefined {
  // Another object has taken the name: the one that mattered is gone.
  if (usage.usingUid !== undefined && using.metadata.uid !== usage.usingUid) return undefined;
  if (isTerminating(using) || isOwnedElsewhere(usage, using)) return Infinity;
  const deleted = Date.parse(usage.object.metadata.deletionTimestamp ?? '');
  const left = deleted + SETTLE_MS - now;
  return left > 0 ? left : undefined;
}

/** Part of something bigger that is taken down as a whole: what uses it will follow. */
function isOwnedElsewhere(usage: Usage, using: KubeObject): boolean {
  return (usage.object.metadata.ownerReferences ?? []).some(
    ({ controller, uid }) =>
      controller === true &&
      (using.metadata.ownerReferences ?? []).some(
        (reference) => reference.uid === uid && reference.controller === true,
      ),
  );
}

async function waiting(
  usage: Usage,
  using: KubeObject,
  wait: number,
  ports: UsagePorts,
  signal: AbortSignal,
): Promise<Outcome> {
  const message = `waiting for ${using.kind} "${using.metadata.name}" to be gone`;
  const status = statusPatch(usage, { reason: 'WaitingForUsing', message }, ports.clock.now());
  if (status)
    await ports.writer.patch(usage.ref, { type: 'merge', body: { status }, subresource: 'status' }, signal);
  return wait === Infinity ? waitForChange : lookAgain(wait);
}

/** Written before the first side effect: from here on the webhook does not count the usage. */
async function markReleased(
  usage: Usage,
  ports: UsagePorts,
  signal: AbortSignal,
): Promise<Usage | undefined> {
  if (usage.isReleased) return usage;
  const body = { metadata: { uid: usage.object.metadata.uid }, status: { released: true } };
  const changed = await ports.writer.patch(usage.ref, { type: 'merge', body, subresource: 'status' }, signal);
  return changed && parseUsage(changed);
}

async function removeMarks(usage: Usage, ports: UsagePorts, signal: AbortSignal): Promise<void> {
  const types = await typesFor(usage, ports, signal);
  const others = async (): Promise<readonly Usage[]> =>
    (await ports.allUsages(signal)).filter(
      (other) => !other.isReleased && keyOf(other.ref) !== keyOf(usage.ref),
    );
  const removed = marksToRemove(usage, await others(), types);
  for (const ref of removed) await unmark(ref, ports, signal);
  // A usage that was made in the meantime may have found the mark still there.
  const left = new Set(marksToRemove(usage, await others(), types).map(keyOf));
  for (const ref of removed.filter((candidate: ObjectRef) => !left.has(keyOf(candidate))))
    await mark(ref, ports, signal);
}
