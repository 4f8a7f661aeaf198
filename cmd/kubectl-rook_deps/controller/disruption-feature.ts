import { CephPulse, DisruptionWatch, disruptionReconciler } from '#pkg/disruption';
import { keyOf, type ObjectRef } from '#pkg/object';
import { Queue } from '#pkg/runtime';
import type { Feature, Machinery } from './feature.ts';
import { working } from './working.ts';

const WORKERS = 2;
/** Ceph may keep us waiting more than once. */
const RECONCILE_TIMEOUT_MS = 120_000;

/** Budgets for drains, where Rook does not make them. */
export function disruptionFeature(machinery: Machinery): Feature {
  const { reader, writer, watcher, record, cephOf, clock, logger } = machinery;
  const queue = new Queue<ObjectRef>({ clock, idOf: keyOf });
  const watch = new DisruptionWatch({ watcher, clock, logger, random: Math.random }, (ref) => queue.add(ref));
  const ports = { reader, writer, cephOf, record, clock, logger };
  const pulse = new CephPulse(
    ports,
    () => watch.clusters(),
    (ref) => queue.add(ref),
  );
  return {
    everywhere: [{ name: 'watches for drains', run: (signal) => watch.run(signal) }],
    leading: [
      working('disruption', queue, disruptionReconciler(ports), machinery, () => watch.turnAll(), {
        workers: WORKERS,
        timeoutMs: RECONCILE_TIMEOUT_MS,
      }),
      { name: 'feels for what only Ceph knows', run: (signal) => pulse.run(signal) },
    ],
  };
}
