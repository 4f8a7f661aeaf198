import { keyOf } from '#pkg/object';
import { attemptToRepeat, repeatDeletion, type Attempt } from '#pkg/protection';
import { holdersOf } from './holders.ts';
import type { UsagePorts } from './reconciler.ts';
import { recordAttempt } from './record-attempts.ts';
import { targetOf, typesFor } from './target.ts';
import type { Usage } from './usage.ts';

/** Repeats a refused deletion once the last usage is released: for the object that was meant, and who might delete it. */
export async function replay(usage: Usage, ports: UsagePorts, signal: AbortSignal): Promise<void> {
  const ref = targetOf(usage.of, usage, await typesFor(usage, ports, signal));
  const used = ref && (await ports.get(ref, signal));
  if (!ref || !used) return;
  const attempt = attemptToRepeat(used, usage.attempts, usage.replayDeletion, ports.clock.now());
  if (!attempt) return;
  const others = (await ports.allUsages(signal)).filter((other) => keyOf(other.ref) !== keyOf(usage.ref));
  if (holdersOf(used, others).length > 0) return handOver(attempt, holdersOf(used, others), ports, signal);
  await repeatDeletion(ref, used, attempt, ports, signal);
}

/** Whoever still holds the object must know of the attempt, or it would be lost with this usage. */
async function handOver(
  attempt: Attempt,
  holders: readonly Usage[],
  ports: UsagePorts,
  signal: AbortSignal,
): Promise<void> {
  for (const holder of holders) {
    if (holder.attempts.some(({ uid }) => uid === attempt.uid)) continue;
    await recordAttempt(holder, attempt, ports, signal);
  }
}
