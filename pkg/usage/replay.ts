import { isConflict, keyOf, type KubeObject, type ObjectRef } from '#pkg/object';
import { holdersOf } from './holders.ts';
import type { UsagePorts } from './reconciler.ts';
import { targetOf, typesFor } from './target.ts';
import type { Attempt, Usage } from './usage.ts';

/** These come back by themselves only after minutes, so their deletions are always repeated. */
const PATIENT = new Set([
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:serviceaccount:kube-system:namespace-controller',
]);

export function isPatient({ username }: Attempt['user']): boolean {
  return PATIENT.has(username);
}

/** Repeats a refused deletion once the last usage is released: for the object that was meant, and who might delete it. */
export async function replay(usage: Usage, ports: UsagePorts, signal: AbortSignal): Promise<void> {
  const ref = targetOf(usage.of, usage, await typesFor(usage, ports, signal));
  const used = ref && (await ports.get(ref, signal));
  if (!ref || !used) return;
  const attempt = attemptToReplay(usage, used);
  if (!attempt) return;
  const others = (await ports.allUsages(signal)).filter((other) => keyOf(other.ref) !== keyOf(usage.ref));
  if (holdersOf(used, others).length > 0) return handOver(attempt, holdersOf(used, others), ports, signal);
  if (!(await ports.mayDelete(attempt.user, ref, signal))) return;
  await deleteUsed(ref, used, attempt, ports, signal);
}

/** The last attempt at the very object that is there now, if it is to be repeated. */
export function attemptToReplay(usage: Usage, used: KubeObject): Attempt | undefined {
  return usage.attempts.findLast(
    ({ uid, user, vetoed }) =>
      uid === used.metadata.uid && (isPatient(user) || (usage.replayDeletion && !vetoed)),
  );
}

async function deleteUsed(
  ref: ObjectRef,
  used: KubeObject,
  attempt: Attempt,
  ports: UsagePorts,
  signal: AbortSignal,
): Promise<void> {
  const propagationPolicy = attempt.propagationPolicy as 'Background' | 'Foreground' | 'Orphan';
  try {
    const result = await ports.writer.delete(ref, { uid: attempt.uid, propagationPolicy }, signal);
    if (result === 'absent') return;
    await ports.record(
      used,
      'DeletionReplayed',
      `Deleted as ${attempt.user.username} had asked before.`,
      signal,
    );
  } catch (error) {
    // Replaced under its name, or held by someone else: not ours to delete.
    if (!isConflict(error)) throw error;
  }
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
    const body = { status: { attempts: [...holder.attempts, attempt] } };
    await ports.writer.patch(holder.ref, { type: 'merge', body, subresource: 'status' }, signal);
  }
}
