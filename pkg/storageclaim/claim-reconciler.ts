import { isTerminating, type ObjectRef } from '#pkg/object';
import { waitForChange, type Reconciler } from '#pkg/runtime';
import { bind } from './binding.ts';
import { parseClaim } from './claim.ts';
import { release } from './claim-deletion.ts';
import type { StorageClaimPorts } from './ports.ts';

/** Binds a claim to its composite, and takes the composite down with it. */
export function claimReconciler(ports: StorageClaimPorts): Reconciler<ObjectRef> {
  return {
    async reconcile(ref, signal) {
      const object = await ports.get(ref, signal);
      if (!object) return waitForChange;
      const claim = parseClaim(object);
      return isTerminating(object) ? release(claim, ports, signal) : bind(claim, ports, signal);
    },
  };
}
