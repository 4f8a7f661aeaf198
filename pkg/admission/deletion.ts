import { isTerminating, refOf, textAt, type KubeObject, type ObjectRef } from '#pkg/object';
import { allow, badRequest, conflict, unavailable, type Answer, type AnswerCause } from './answer.ts';
import type { AdmissionHandler } from './handler.ts';
import type { AdmissionRequest, Requester } from './request.ts';

/** On the object to delete; its value is the reason. */
export const FORCE_DELETE_ANNOTATION = 'rook-deps.io/force-delete';

/** A deletion under review. */
export interface Deletion {
  readonly object: KubeObject;
  readonly request: AdmissionRequest;
}

/** What stands against a deletion. */
export interface Objection {
  /** For people: a heading, then a line for each blocker. */
  readonly lines: readonly string[];
  /** For programs: all of them. */
  readonly causes: readonly AnswerCause[];
  /** Nobody is known to need the object, but not everything could be looked at. */
  readonly isDoubt?: boolean;
  /** Whoever objects does not want the deletion to be made up for once nothing stands against it any more. */
  readonly forbidsRepeat?: boolean;
  /** Called when the deletion is refused, unless it is a dry run; `isVetoed` by another objection. */
  readonly refused?: (isVetoed: boolean, signal: AbortSignal) => Promise<void>;
}

/** Knows of a reason why an object must stay. */
export interface DeletionGuard {
  /** From what is known already. It may be late, so it is good for a refusal only; and quick. */
  glance(deletion: Deletion, signal: AbortSignal): Promise<Objection | undefined>;
  /** As things are now: nothing else allows a deletion. */
  look(deletion: Deletion, signal: AbortSignal): Promise<Objection | undefined>;
}

export interface DeletionPorts {
  /** Whether this user has the right to force a deletion of this object. */
  mayForce(user: Requester, ref: ObjectRef, signal: AbortSignal): Promise<boolean>;
  /** Tells people what happened to an object. */
  record(object: KubeObject, reason: string, note: string, signal: AbortSignal): Promise<void>;
  /** A refusal stands though it could not be noted. */
  notNoted(error: unknown): void;
}

/** Refuses a deletion to which any guard objects. */
export function deletionHandler(guards: readonly DeletionGuard[], ports: DeletionPorts): AdmissionHandler {
  return async (request, signal) => {
    const { operation, oldObject } = request;
    if (operation !== 'DELETE') return badRequest(`unexpected operation "${operation}", expected "DELETE"`);
    if (!oldObject) return badRequest('a DELETE without oldObject cannot be judged');
    // Too late to save it; a refusal would only keep its finalizers from being served.
    if (isTerminating(oldObject)) return allow();
    const deletion = { object: oldObject, request };
    const objections = await findObjections(guards, deletion, signal);
    if (objections.length === 0) return allow();
    if (await isForced(deletion, ports, signal)) return force(deletion, objections, ports, signal);
    if (!request.dryRun) await noteRefusal(objections, ports, signal);
    return refusal(oldObject, objections);
  };
}

async function findObjections(
  guards: readonly DeletionGuard[],
  deletion: Deletion,
  signal: AbortSignal,
): Promise<readonly Objection[]> {
  const known = await Promise.all(guards.map((guard) => guard.glance(deletion, signal)));
  const objections = known.filter((objection) => objection !== undefined);
  if (objections.length > 0) return objections;
  const looks = await Promise.allSettled(guards.map((guard) => guard.look(deletion, signal)));
  const found = looks.flatMap((look) => (look.status === 'fulfilled' && look.value ? [look.value] : []));
  const failed = looks.find((look) => look.status === 'rejected');
  // What is known to stand against it says more than that somebody could not look.
  if (failed && found.length === 0) throw failed.reason;
  return found;
}

async function noteRefusal(
  objections: readonly Objection[],
  ports: DeletionPorts,
  signal: AbortSignal,
): Promise<void> {
  const noted = await Promise.allSettled(
    objections.map(async (objection) => {
      const isVetoed = objections.some((other) => other !== objection && other.forbidsRepeat === true);
      return objection.refused?.(isVetoed, signal);
    }),
  );
  for (const note of noted) if (note.status === 'rejected') ports.notNoted(note.reason);
}

function refusal(object: KubeObject, objections: readonly Objection[]): Answer {
  const { name, namespace } = object.metadata;
  const scope = namespace ? ` -n ${namespace}` : '';
  const see = `See: kubectl rook-deps why ${object.kind.toLowerCase()}/${name}${scope}`;
  const certain = objections.filter(({ isDoubt }) => !isDoubt);
  const shown = certain.length > 0 ? certain : objections;
  const lines = [...shown.flatMap((objection) => objection.lines), see];
  const causes = shown.flatMap((objection) => objection.causes);
  return certain.length > 0 ? conflict(lines, causes) : unavailable(lines, causes);
}

function isForced(
  { object, request }: Deletion,
  ports: DeletionPorts,
  signal: AbortSignal,
): Promise<boolean> {
  const reason = textAt(object.metadata.annotations, FORCE_DELETE_ANNOTATION);
  return reason ? ports.mayForce(request.userInfo, refOf(object), signal) : Promise.resolve(false);
}

async function force(
  { object, request: { userInfo, dryRun } }: Deletion,
  objections: readonly Objection[],
  ports: DeletionPorts,
  signal: AbortSignal,
): Promise<Answer> {
  const reason = textAt(object.metadata.annotations, FORCE_DELETE_ANNOTATION) ?? '';
  const count = objections.reduce((sum, { causes }) => sum + causes.length, 0);
  const what = `${count} ${count === 1 ? 'cause' : 'causes'} against it`;
  const note = `${userInfo.username} forced the deletion in spite of ${what}: ${reason}`;
  if (!dryRun) await ports.record(object, 'DeletionForced', note, signal);
  return allow({ warnings: [`the deletion of ${object.kind} is forced in spite of ${what}`] });
}
