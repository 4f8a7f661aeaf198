import { isForbidden, isTerminating, type KubeObject, type ResourceTypes } from '#pkg/object';
import { isDefined } from '#pkg/protection';
import { lookAgain, waitForChange, type Outcome } from '#pkg/runtime';
import { marksOf, unmarkAll } from './marks.ts';
import type { HoldingPorts, UsagePorts } from './reconciler.ts';
import { refusalMessage } from './refusal-message.ts';
import { replay } from './replay.ts';
import { statusPatch, type Finding } from './status.ts';
import { kindOf, targetOf, typesFor } from './target.ts';
import { FINALIZER, parseUsage, type Usage } from './usage.ts';
import { removeFinalizer } from './usage-writes.ts';
import { isTakenDownWith } from './whole.ts';

/** How long a deleted usage waits to see whether what uses it is deleted in the same breath. */
const SETTLE_MS = 2_000;

/** Lets a deleted usage go, in order: what uses it, the marks, the deletions it held back, itself. */
export async function release(usage: Usage, ports: HoldingPorts, signal: AbortSignal): Promise<Outcome> {
  if (!usage.object.metadata.finalizers?.includes(FINALIZER)) return waitForChange;
  const types = await typesFor(usage, ports, signal);
  // A server that is just starting may lack kinds for a moment; what they mean is then anybody's guess.
  if (!types.find(usage.ref)) throw new Error(`the server does not have ${usage.ref.kind} at present`);
  const using = await findUsing(usage, types, ports, signal);
  if (using && !usage.isReleased) {
    const wait = await waitFor(usage, using, ports, signal);
    if (wait !== undefined) return waiting(usage, using, wait, ports, signal);
  }
  const released = await markReleased(usage, ports, signal);
  if (!released) return waitForChange;
  await unmarkAll(released, marksOf(released, types), types, ports, signal);
  await replay(released, ports, signal);
  await removeFinalizer(released, FINALIZER, ports, signal);
  return waitForChange;
}

async function findUsing(
  usage: Usage,
  types: ResourceTypes,
  ports: UsagePorts,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const ref = usage.by && targetOf(usage.by, usage, types);
  // Seen once, it may still be there while its kind is not served.
  if (usage.by && !ref && usage.usingUid !== undefined && (await isDefined(kindOf(usage.by), ports, signal)))
    throw new Error(`the server does not have ${usage.by.kind} at present`);
  try {
    return ref && (await ports.get(ref, signal));
  } catch (error) {
    if (!isForbidden(error) || !(error instanceof Error)) throw error;
    // It was never seen, so nobody has ever relied on waiting for it.
    if (usage.usingUid === undefined) return undefined;
    const message = refusalMessage(usage, types, error);
    await tell(usage, { reason: 'Forbidden', message }, ports, signal);
    throw error;
  }
}

/** Milliseconds to wait for what uses it, Infinity for its end, undefined for not at all. */
async function waitFor(
  usage: Usage,
  using: KubeObject,
  ports: HoldingPorts,
  signal: AbortSignal,
): Promise<number | undefined> {
  // Another object has taken the name: the one that mattered is gone.
  if (usage.usingUid !== undefined && using.metadata.uid !== usage.usingUid) return undefined;
  if (isTerminating(using) || (await isTakenDownWith(usage, using, ports, signal))) return Infinity;
  const left = ports.deletionSeenMs(usage) + SETTLE_MS - ports.clock.now();
  return left > 0 ? left : undefined;
}

async function waiting(
  usage: Usage,
  using: KubeObject,
  wait: number,
  ports: UsagePorts,
  signal: AbortSignal,
): Promise<Outcome> {
  const message = `waiting for ${using.kind} "${using.metadata.name}" to be gone`;
  await tell(usage, { reason: 'WaitingForUsing', message }, ports, signal);
  return wait === Infinity ? waitForChange : lookAgain(wait);
}

async function tell(usage: Usage, finding: Finding, ports: UsagePorts, signal: AbortSignal): Promise<void> {
  const status = statusPatch(usage, finding, ports.clock.now());
  if (status)
    await ports.writer.patch(usage.ref, { type: 'merge', body: { status }, subresource: 'status' }, signal);
}

/** Written before the first side effect: from here on the webhook does not count the usage. */
async function markReleased(
  usage: Usage,
  ports: UsagePorts,
  signal: AbortSignal,
): Promise<Usage | undefined> {
  if (usage.isReleased) return usage;
  const finding = { reason: 'Released', message: 'deleted, and holds nothing any more' } as const;
  const status = { ...statusPatch(usage, finding, ports.clock.now()), released: true };
  const body = { metadata: { uid: usage.object.metadata.uid }, status };
  const changed = await ports.writer.patch(usage.ref, { type: 'merge', body, subresource: 'status' }, signal);
  return changed && parseUsage(changed);
}
