import { isConflict, keyOf, type ObjectRef } from '#pkg/object';
import { controller, Queue } from '#pkg/runtime';
import {
  recordAttempts,
  usageAdmission,
  usageGuard,
  usageReconciler,
  UsageWatch,
  type UsagePorts,
} from '#pkg/usage';
import type { Feature, Machinery } from './feature.ts';
import { usageLister } from './kube-ports.ts';

const WORKERS = 4;
const RECONCILE_TIMEOUT_MS = 60_000;

/** Usage and ClusterUsage. */
export function usageFeature({
  reader,
  writer,
  watcher,
  types,
  access,
  record,
  metrics,
  clock,
  logger,
}: Machinery): Feature {
  const queue = new Queue<ObjectRef>({ clock, idOf: keyOf });
  const watch = new UsageWatch({ watcher, clock, logger, random: Math.random }, (ref) => queue.add(ref));
  const allUsages = usageLister(reader);
  const ports: UsagePorts = {
    get: (ref, signal) => reader.get(ref, ref.namespace, ref.name, signal),
    list: (request, signal) => reader.list(request, signal),
    types,
    allUsages,
    writer,
    mayDelete: (user, ref, signal) => access(user, 'delete', ref, signal),
    record,
    clock,
  };
  const reconciling = controller({
    name: 'usage',
    queue,
    reconciler: usageReconciler(ports),
    workers: WORKERS,
    timeoutMs: RECONCILE_TIMEOUT_MS,
    logger,
    metrics,
    clock,
    isConflict,
  });
  metrics.watchQueue('usage', () => queue.depth);
  metrics.watchCacheLag('Usage', () => cacheLagMs(watch, clock.now()));
  return {
    handlers: new Map([
      [
        '/usage',
        usageAdmission({
          types,
          allUsages,
          mayDelete: (user, target, signal) => access(user, 'delete', target, signal),
        }),
      ],
    ]),
    guard: usageGuard({
      cachedUsages: () => watch.usages(),
      allUsages,
      recordAttempt: (usages, attempt, signal) => recordAttempts(usages, attempt, ports, signal),
      now: clock.now,
    }),
    everywhere: [{ name: 'watches of usages', run: (signal) => watch.run(signal) }],
    leading: [
      {
        name: 'usage',
        run: (signal) => {
          watch.turnAll();
          return reconciling.run(signal);
        },
      },
    ],
    ready: [{ name: 'usages', problem: () => (watch.isSynced ? undefined : 'have not been listed yet') }],
  };
}

function cacheLagMs(watch: UsageWatch, now: number): number | undefined {
  const heard = [...watch.health()].flatMap(({ health }) => health.heardAtMs ?? []);
  return heard.length > 0 ? now - Math.min(...heard) : undefined;
}
