import { isConflict, isForbidden, isTerminating, type KubeObject, type ObjectRef } from '#pkg/object';
import { lookAgain, waitForChange, type Outcome } from '#pkg/runtime';
import { isForeground, type Part } from './composite.ts';
import type { StorageClaimPorts } from './ports.ts';

/** Refusals end without a word, as when another controller lets go. */
const AGAIN_MS = 2_000;
/** The time in which the garbage collector needs no help. */
const FIRST_MS = 1_000;

export interface Departure {
  readonly ref: ObjectRef;
  readonly uid: string;
  readonly parts: readonly Part[];
  readonly sinceMs: number;
  readonly propagationPolicy: 'Background' | 'Foreground';
}

/**
 * Deletes what the garbage collector would delete anyway. It waits ever longer after each refusal, up to a quarter of an
 * hour; what was refused because of the order is due much sooner.
 */
export async function helpAlong(
  departure: Departure,
  ports: StorageClaimPorts,
  signal: AbortSignal,
): Promise<{ readonly outcome: Outcome; readonly left: number }> {
  const { uid: compositeUid, parts, sinceMs, propagationPolicy } = departure;
  const earlyMs = sinceMs + FIRST_MS - ports.clock.now();
  if (earlyMs > 0) return { outcome: lookAgain(earlyMs), left: parts.length };
  let refusals = 0;
  let left = 0;
  for (const part of parts) {
    const object = await ports.get(part.ref, signal);
    if (!object || !isOwnedByAlone(object, compositeUid)) continue;
    left += 1;
    if (isTerminating(object)) continue;
    if (await stands(departure, ports, signal)) return { outcome: waitForChange, left: 0 };
    try {
      // Its version, too: it may be orphaned in this very moment.
      const { uid, resourceVersion } = object.metadata;
      await ports.writer.delete(part.ref, { uid, resourceVersion, propagationPolicy }, signal);
    } catch (error) {
      if (!isConflict(error) && !isForbidden(error)) throw error;
      refusals += 1;
    }
  }
  return { outcome: refusals > 0 ? lookAgain(AGAIN_MS) : waitForChange, left };
}

/** Whether it is there after all, and not going: then its parts are nobody's to delete. Unknown is neither. */
async function stands(
  { ref, uid }: Departure,
  ports: StorageClaimPorts,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(await ports.types(ref, signal)).find(ref))
    throw new Error(`the server does not have ${ref.kind} at present`);
  const now = await ports.get(ref, signal);
  return now?.metadata.uid === uid && !(isTerminating(now) && isForeground(now));
}

/** With another owner it stays: the garbage collector would only take the reference off. */
function isOwnedByAlone({ metadata }: KubeObject, uid: string): boolean {
  const { ownerReferences = [] } = metadata;
  return ownerReferences.length > 0 && ownerReferences.every((owner) => owner.uid === uid);
}
