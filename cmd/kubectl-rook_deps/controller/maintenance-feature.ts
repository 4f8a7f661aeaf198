import { NODE } from '#pkg/drain';
import {
  configMapLedger,
  maintenanceAdmission,
  maintenanceReconciler,
  MaintenanceWatch,
  resourceLedger,
} from '#pkg/maintenance';
import { keyOf, type ObjectRef } from '#pkg/object';
import { Queue } from '#pkg/runtime';
import type { Feature, Machinery } from './feature.ts';
import { working } from './working.ts';

const WORKERS = 2;
/** Ceph may keep us waiting more than once. */
const RECONCILE_TIMEOUT_MS = 120_000;

/** NodeMaintenance. */
export function maintenanceFeature(machinery: Machinery): Feature {
  const { reader, writer, watcher, evict, record, cephOf, access, clock, logger } = machinery;
  const queue = new Queue<ObjectRef>({ clock, idOf: keyOf });
  const watch = new MaintenanceWatch({ watcher, clock, logger, random: Math.random }, (ref) =>
    queue.add(ref),
  );
  const ledgerPorts = { reader, writer, now: clock.now };
  const ledger = resourceLedger(ledgerPorts);
  const ledgers = [ledger, configMapLedger(ledgerPorts)];
  const getNode = (name: string, signal: AbortSignal): ReturnType<typeof reader.get> =>
    reader.get(NODE, undefined, name, signal);
  return {
    handlers: new Map([['/nodemaintenance', maintenanceAdmission({ getNode, mayDo: access })]]),
    everywhere: [{ name: 'watches for maintenance', run: (signal) => watch.run(signal) }],
    leading: [
      working(
        'maintenance',
        queue,
        maintenanceReconciler({ reader, writer, evict, record, cephOf, clock, ledger, ledgers }),
        machinery,
        () => watch.turnAll(),
        { workers: WORKERS, timeoutMs: RECONCILE_TIMEOUT_MS },
      ),
    ],
  };
}
