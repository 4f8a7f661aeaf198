import { CephSilent } from '#pkg/ceph';
import { numberAt } from '#pkg/object';
import { Unlisted } from './observe.ts';

const TOO_SLOW = 408;
const TOO_MANY = 429;

/** Whether a failure is none of what was asked for, and may be gone the next time: nobody answered, or not now. */
export function isHiccup(error: unknown): boolean {
  if (error instanceof CephSilent) return true;
  if (error instanceof Unlisted) return !error.isForbidden;
  const status = error instanceof Error ? numberAt(error, 'status') : undefined;
  // Without an answer it is 0.
  return (
    status !== undefined && (status === 0 || status === TOO_SLOW || status === TOO_MANY || status >= 500)
  );
}
