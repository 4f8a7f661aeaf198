import { allow, badRequest, forbidden, type AdmissionHandler } from '#pkg/admission';
import { isTerminating, keyOf, refOf, type KubeObject, type ObjectRef } from '#pkg/object';
import { quotedName } from './words.ts';

export interface CreationPorts {
  /** What an object would depend on; from the cache. */
  providersOf(object: KubeObject): readonly ObjectRef[];
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
}

/** Unlike a deletion, this destroys nothing: that nobody can tell does not stop anybody. */
const UNSURE = allow({
  warnings: ['rook-deps could not tell whether what this depends on is being deleted'],
});

/** Refuses what would newly depend on something that is being deleted: it would be lost with it. */
export function creationHandler({ providersOf, get }: CreationPorts): AdmissionHandler {
  const handle: AdmissionHandler = async ({ operation, object, oldObject }, signal) => {
    if (operation !== 'CREATE' && operation !== 'UPDATE')
      return badRequest(`unexpected operation "${operation}", expected "CREATE" or "UPDATE"`);
    if (!object) return badRequest(`${operation} without object cannot be judged`);
    // What is about to go itself needs nothing new.
    if (isTerminating(object)) return allow();
    const before = new Set((oldObject ? providersOf(oldObject) : []).map(keyOf));
    const fresh = providersOf(object).filter((ref) => !before.has(keyOf(ref)));
    const found = await Promise.allSettled(fresh.map((ref) => get(ref, signal)));
    const going = found.flatMap((answer) =>
      answer.status === 'fulfilled' && answer.value && isTerminating(answer.value) ? [answer.value] : [],
    );
    if (going.length > 0) return forbidden(going.flatMap((provider) => refusal(object, provider)));
    return found.some(({ status }) => status === 'rejected') ? UNSURE : allow();
  };
  return Object.assign(handle, { whenUnsure: UNSURE });
}

function refusal(object: KubeObject, provider: KubeObject): readonly string[] {
  const { kind, metadata } = provider;
  const scope = metadata.namespace ? ` -n ${metadata.namespace}` : '';
  return [
    `${quotedName(refOf(provider))} is being deleted since ${metadata.deletionTimestamp ?? ''}, and this ${object.kind} would be lost with it; ` +
      'wait until that is over, or take another one.',
    `See: kubectl rook-deps why ${kind.toLowerCase()}/${metadata.name}${scope}`,
  ];
}
