import { CANARY_NAME } from '#pkg/install';
import { isConflict, keyOf, type ObjectKey, type ObjectRef } from '#pkg/object';
import { markSweeper, Turns } from '#pkg/protection';
import { controller, Queue } from '#pkg/runtime';
import {
  holdersOf,
  IN_USE_LABEL,
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
  const allUsages = usageLister(reader, types);
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
  const turns = new Turns<ObjectKey>();
  const common = { timeoutMs: RECONCILE_TIMEOUT_MS, logger, metrics, clock, isConflict };
  const reconciling = controller({
    ...common,
    name: 'usage',
    queue,
    reconciler: usageReconciler(ports, turns),
    workers: WORKERS,
  });
  const sweeps = new Queue<string>({ clock, idOf: (key) => key });
  const sweeping = controller({
    ...common,
    name: 'marks',
    queue: sweeps,
    reconciler: markSweeper(IN_USE_LABEL, {
      ...ports,
      turns,
      allTypes: async (signal) => (await reader.types(signal)).all(),
      isWanted: async (object, signal) => holdersOf(object, await allUsages(signal)).length > 0,
      isExempt: ({ name }) => name === CANARY_NAME,
      swept: (ref) => logger.info('took off a mark that nobody wants', { object: keyOf(ref) }),
    }),
    workers: 1,
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
      {
        name: 'marks',
        run: (signal) => {
          sweeps.add('all');
          return sweeping.run(signal);
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
