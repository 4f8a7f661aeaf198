import { isConflict, type KubeObject, type ObjectRef, type Writer } from '#pkg/object';
import type { Attempt } from './attempt.ts';

/** These come back by themselves only after minutes, so their deletions are always repeated. */
const PATIENT = new Set([
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:serviceaccount:kube-system:namespace-controller',
]);

export function isPatient({ username }: Attempt['user']): boolean {
  return PATIENT.has(username);
}

/** The last attempt at the very object that is there now, if it is to be repeated. */
export function attemptToRepeat(
  object: KubeObject,
  attempts: readonly Attempt[],
  isWished: boolean,
): Attempt | undefined {
  return attempts.findLast(
    ({ uid, user, vetoed }) =>
      uid === object.metadata.uid && (isPatient(user) || (isWished && vetoed !== true)),
  );
}

export interface RepeatPorts {
  readonly writer: Pick<Writer, 'delete'>;
  /** Whether this user may delete this object: nobody borrows our rights. */
  mayDelete(user: { readonly username: string }, ref: ObjectRef, signal: AbortSignal): Promise<boolean>;
  /** Tells people what happened to an object. */
  record(object: KubeObject, reason: string, note: string, signal: AbortSignal): Promise<void>;
}

/** `refused`: replaced under its name, or held by someone else. `not-allowed`: whoever asked may no longer. */
export type Repeated = 'deleted' | 'absent' | 'refused' | 'not-allowed';

/** Deletes what was to be deleted, and nothing else, for somebody who could do so himself. */
export async function repeatDeletion(
  ref: ObjectRef,
  object: KubeObject,
  attempt: Attempt,
  ports: RepeatPorts,
  signal: AbortSignal,
): Promise<Repeated> {
  if (!(await ports.mayDelete(attempt.user, ref, signal))) return 'not-allowed';
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
