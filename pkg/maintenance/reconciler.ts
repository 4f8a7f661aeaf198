import type { ObjectRef } from '#pkg/object';
import { lookAgain, waitForChange, type Outcome, type Reconciler } from '#pkg/runtime';
import { advance, type MaintenancePorts } from './advance.ts';
import type { Ledger } from './ledger.ts';
import { FINALIZER } from './maintenance.ts';
import { Observer } from './observe.ts';

export interface ReconcilerPorts extends MaintenancePorts {
  readonly ledger: Ledger;
}

/** Does what NodeMaintenances ask for, and takes it back when they are deleted. */
export function maintenanceReconciler(ports: ReconcilerPorts): Reconciler<ObjectRef> {
  const observer = new Observer(ports.reader);
  return {
    async reconcile({ name }, signal) {
      const found = await ports.ledger.find(name, signal);
      if (!found) return waitForChange;
      const { origin, isStopping } = found;
      if (!origin.metadata.finalizers?.includes(FINALIZER)) {
        // Somebody took it off: whatever they meant, nothing is begun again.
        if (isStopping) return waitForChange;
        await ports.ledger.hold(found, signal);
        return lookAgain(0);
      }
      return outcomeOf(found, ports, observer, signal);
    },
  };
}

async function outcomeOf(
  found: Parameters<typeof advance>[0],
  ports: ReconcilerPorts,
  observer: Observer,
  signal: AbortSignal,
): Promise<Outcome> {
  const result = await advance(found, ports.ledger, observer, ports, signal);
  return result.kind === 'ended' ? waitForChange : lookAgain(result.afterMs);
}
