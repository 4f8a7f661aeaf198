import { NODE } from '#pkg/drain';
import {
  configMapLedger,
  maintenanceAdmission,
  maintenanceReconciler,
  MaintenanceWatch,
  resourceLedger,
} from '#pkg/maintenance';
import { isConflict, keyOf, type ObjectRef } from '#pkg/object';
import { controller, Queue } from '#pkg/runtime';
import type { Feature, Machinery } from './feature.ts';

const WORKERS = 2;
/** Ceph may keep us waiting more than once. */
const RECONCILE_TIMEOUT_MS = 120_000;

/** NodeMaintenance. */
export function maintenanceFeature(machinery: Machinery): Feature {
  const { reader, writer, watcher, evict, record, cephOf, access, metrics, clock, logger } = machinery;
  const queue = new Queue<ObjectRef>({ clock, idOf: keyOf });
  const watch = new MaintenanceWatch({ watcher, clock, logger, random: Math.random }, (ref) =>
    queue.add(ref),
  );
  const ledgerPorts = { reader, writer, now: clock.now };
  const ledger = resourceLedger(ledgerPorts);
  const reconciling = controller({
    name: 'maintenance',
    queue,
    reconciler: maintenanceReconciler({
      reader,
      writer,
      evict,
      record,
      cephOf,
      clock,
      ledger,
      ledgers: [ledger, configMapLedger(ledgerPorts)],
    }),
    workers: WORKERS,
    timeoutMs: RECONCILE_TIMEOUT_MS,
    logger,
    metrics,
    clock,
    isConflict,
  });
  metrics.watchQueue('maintenance', () => queue.depth);
  return {
    handlers: new Map([
      [
        '/nodemaintenance',
        maintenanceAdmission({
          getNode: (name, signal) => reader.get(NODE, undefined, name, signal),
          mayDo: access,
        }),
      ],
    ]),
    everywhere: [{ name: 'watches for maintenance', run: (signal) => watch.run(signal) }],
    leading: [
      {
        name: 'maintenance',
        run: (signal) => {
          watch.turnAll();
          return reconciling.run(signal);
        },
      },
    ],
  };
}
