import { allow, badRequest, forbidden, type AdmissionHandler } from '#pkg/admission';
import { isTerminating, refOf, type KubeObject, type ObjectRef } from '#pkg/object';
import { quotedName } from './words.ts';

export interface CreationPorts {
  /** What an object would depend on; from the cache. */
  providersOf(object: KubeObject): readonly ObjectRef[];
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
}

/** Unlike a deletion, a creation destroys nothing: that nobody can tell does not stop anybody. */
const UNSURE = allow({
  warnings: ['rook-deps could not tell whether what this depends on is being deleted'],
});

/** Refuses to create what would depend on something that is being deleted: it would be lost with it. */
export function creationHandler({ providersOf, get }: CreationPorts): AdmissionHandler {
  const handle: AdmissionHandler = async ({ operation, object }, signal) => {
    if (operation !== 'CREATE') return badRequest(`unexpected operation "${operation}", expected "CREATE"`);
    if (!object) return badRequest('a CREATE without object cannot be judged');
    const found = await Promise.allSettled(providersOf(object).map((ref) => get(ref, signal)));
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
      'create it when that is over, or on another one.',
    `See: kubectl rook-deps why ${kind.toLowerCase()}/${metadata.name}${scope}`,
  ];
}
