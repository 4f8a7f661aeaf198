import type { AdmissionHandler, AdmissionRequest } from '#pkg/admission';
import { allow, badRequest, conflict } from '#pkg/admission';
import { isTerminating, refOf, textAt, type KubeObject, type ObjectRef } from '#pkg/object';
import { denialMessage, describe } from './denial.ts';
import { holdersOf } from './holders.ts';
import { isMarked } from './marks.ts';
import { FORCE_DELETE_ANNOTATION, type Attempt, type Usage } from './usage.ts';

export interface DeletionPorts {
  /** From the cache: may be late, so it is good for a refusal only. */
  cachedUsages(): Iterable<Usage>;
  /** As the server has them now. */
  allUsages(signal: AbortSignal): Promise<readonly Usage[]>;
  /** Whether this user has the right to force a deletion of this object. */
  mayForce(user: AdmissionRequest['userInfo'], ref: ObjectRef, signal: AbortSignal): Promise<boolean>;
  /** Keeps a refused deletion with the usages that refused it. */
  recordAttempt(usages: readonly Usage[], attempt: Attempt, signal: AbortSignal): Promise<void>;
  record(object: KubeObject, reason: string, note: string, signal: AbortSignal): Promise<void>;
  now(): number;
}

/** Refuses to delete what a usage holds. */
export function deletionAdmission(ports: DeletionPorts): AdmissionHandler {
  return async (request, signal) => {
    const { operation, oldObject } = request;
    if (operation !== 'DELETE') return badRequest(`unexpected operation "${operation}", expected "DELETE"`);
    if (!oldObject) return badRequest('a DELETE without oldObject cannot be judged');
    // Too late to save it; a refusal would only keep its finalizers from being served.
    if (isTerminating(oldObject)) return allow();
    const holders = await findHolders(oldObject, ports, signal);
    if (holders.length === 0) return allow();
    if (await isForced(request, oldObject, ports, signal))
      return force(request, oldObject, holders, ports, signal);
    if (!request.dryRun)
      await ports.recordAttempt(holders, attemptOf(request, oldObject, ports.now()), signal);
    return conflict(denialMessage(oldObject, holders), holders.map(causeOf));
  };
}

/**
 * No stale "allow": a refusal may come from the cache, an allowance only from the server. Without the mark even a
 * refusal is checked: the usage may just have been released, and the deletion be the replay.
 */
async function findHolders(
  object: KubeObject,
  ports: DeletionPorts,
  signal: AbortSignal,
): Promise<readonly Usage[]> {
  const cached = holdersOf(object, ports.cachedUsages());
  return cached.length > 0 && isMarked(object) ? cached : holdersOf(object, await ports.allUsages(signal));
}

function causeOf(usage: Usage): { reason: string; message: string } {
  return { reason: 'RD039', message: describe(usage) };
}

function attemptOf({ userInfo, options }: AdmissionRequest, object: KubeObject, now: number): Attempt {
  const { username, uid, groups } = userInfo;
  return {
    time: new Date(now).toISOString(),
    user: { username, ...(uid ? { uid } : {}), groups },
    uid: object.metadata.uid ?? '',
    propagationPolicy: options.propagationPolicy ?? 'Background',
  };
}

function isForced(
  { userInfo }: AdmissionRequest,
  object: KubeObject,
  ports: DeletionPorts,
  signal: AbortSignal,
): Promise<boolean> {
  const reason = textAt(object.metadata.annotations, FORCE_DELETE_ANNOTATION);
  return reason ? ports.mayForce(userInfo, refOf(object), signal) : Promise.resolve(false);
}

async function force(
  { userInfo, dryRun }: AdmissionRequest,
  object: KubeObject,
  holders: readonly Usage[],
  ports: DeletionPorts,
  signal: AbortSignal,
): Promise<ReturnType<typeof allow>> {
  const reason = textAt(object.metadata.annotations, FORCE_DELETE_ANNOTATION) ?? '';
  const note = `${userInfo.username} forced the deletion in spite of ${holders.length} usages: ${reason}`;
  if (!dryRun) await ports.record(object, 'DeletionForced', note, signal);
  return allow({
    warnings: [`${object.kind} is still in use by ${holders.length} usages; its deletion is forced`],
  });
}
