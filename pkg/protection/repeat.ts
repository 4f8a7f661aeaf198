import { isConflict, type KubeObject, type ObjectRef, type Writer } from '#pkg/object';
import { isExpired, type Attempt } from './attempt.ts';
import { isOwned, isStillDue, type DuePorts } from './due.ts';
import { isOurs, isPatient } from './patient.ts';

/** The last attempt at the very object that is there now, if it is to be repeated. */
export function attemptToRepeat(
  object: KubeObject,
  attempts: readonly Attempt[],
  isWished: boolean,
  now: number,
): Attempt | undefined {
  return attempts.findLast(
    (attempt) =>
      attempt.uid === object.metadata.uid &&
      (isPatient(attempt.user) ||
        (isOurs(attempt.user) && isOwned(object)) ||
        (isWished && attempt.vetoed !== true && !isExpired(attempt, now))),
  );
}

export interface RepeatPorts extends DuePorts {
  readonly writer: Pick<Writer, 'delete'>;
  /** Whether this user may delete this object: nobody borrows our rights. */
  mayDelete(user: { readonly username: string }, ref: ObjectRef, signal: AbortSignal): Promise<boolean>;
  /** Tells people what happened to an object. */
  record(object: KubeObject, reason: string, note: string, signal: AbortSignal): Promise<void>;
}

/**
 * `refused`: replaced under its name, or held by someone else. `not-allowed`: whoever asked may no longer. `not-due`:
 * whoever asked would not ask again.
 */
export type Repeated = 'deleted' | 'absent' | 'refused' | 'not-allowed' | 'not-due';

/** Deletes what was to be deleted, and nothing else, for somebody who could do so himself. */
export async function repeatDeletion(
  ref: ObjectRef,
  object: KubeObject,
  attempt: Attempt,
  ports: RepeatPorts,
  signal: AbortSignal,
): Promise<Repeated> {
  if (!(await ports.mayDelete(attempt.user, ref, signal))) return 'not-allowed';
  if (!(await isStillDue(attempt, object, ports, signal))) return 'not-due';
  const propagationPolicy = attempt.propagationPolicy as 'Background' | 'Foreground' | 'Orphan';
  try {
    const result = await ports.writer.delete(ref, { uid: attempt.uid, propagationPolicy }, signal);
    if (result === 'absent') return 'absent';
  } catch (error) {
    if (!isConflict(error)) throw error;
    return 'refused';
  }
  const note = `Deleted as ${attempt.user.username} had asked before.`;
  await ports.record(object, 'DeletionReplayed', note, signal);
  return 'deleted';
}
