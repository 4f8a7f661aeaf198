import { allow, badRequest, conflict, forbidden, type AdmissionHandler } from '#pkg/admission';
import type { KubeObject, ObjectRef } from '#pkg/object';
import { refusalOf } from './binding.ts';
import { compositeRefOf, parseClaim } from './claim.ts';
import { parseComposite } from './composite.ts';

export interface ClaimAdmissionPorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
}

/** Says at once that a composite cannot be had. One that does not exist may still come. */
export function claimAdmission(ports: ClaimAdmissionPorts): AdmissionHandler {
  return async ({ operation, object }, signal) => {
    if (operation !== 'CREATE') return badRequest(`unexpected operation "${operation}", expected "CREATE"`);
    if (!object) return badRequest('a claim without its object cannot be judged');
    const claim = parseClaim(object);
    const found = await ports.get(compositeRefOf(claim), signal);
    const refusal = refusalOf(claim, found && parseComposite(found));
    if (!refusal) return allow();
    const cause = { reason: refusal.reason, message: refusal.message };
    return refusal.reason === 'NotClaimable'
      ? forbidden(refusal.message)
      : conflict(refusal.message, [cause]);
  };
}
