import { DisruptionWatch, disruptionReconciler } from '#pkg/disruption';
import { isConflict, keyOf, type ObjectRef } from '#pkg/object';
import { controller, Queue } from '#pkg/runtime';
import type { Feature, Machinery } from './feature.ts';

const WORKERS = 2;
/** Ceph may keep us waiting more than once. */
const RECONCILE_TIMEOUT_MS = 120_000;

/** Budgets for drains, where Rook does not make them. */
export function disruptionFeature(machinery: Machinery): Feature {
  const { reader, writer, watcher, record, cephOf, metrics, clock, logger } = machinery;
  const queue = new Queue<ObjectRef>({ clock, idOf: keyOf });
  const watch = new DisruptionWatch({ watcher, clock, logger, random: Math.random }, (ref) => queue.add(ref));
  const reconciling = controller({
    name: 'disruption',
    queue,
    reconciler: disruptionReconciler({ reader, writer, cephOf, record, clock, logger }),
    workers: WORKERS,
    timeoutMs: RECONCILE_TIMEOUT_MS,
    logger,
    metrics,
    clock,
    isConflict,
  });
  metrics.watchQueue('disruption', () => queue.depth);
  return {
    everywhere: [{ name: 'watches for drains', run: (signal) => watch.run(signal) }],
    leading: [
      {
        name: 'disruption',
        run: (signal) => {
          watch.turnAll();
          return reconciling.run(signal);
        },
      },
    ],
  };
}
