import { CANARY_NAME } from '#pkg/install';
import { keyOf, refOf, type KubeObject, type ObjectRef } from '#pkg/object';
import { markSweeper } from '#pkg/protection';
import { Queue } from '#pkg/runtime';
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
import { cacheLagMs, working } from './working.ts';

/** Usage and ClusterUsage. */
export function usageFeature(machinery: Machinery): Feature {
  const { reader, writer, watcher, types, access, record, inUse, metrics, clock, logger } = machinery;
  const queue = new Queue<ObjectRef>({ clock, idOf: keyOf });
  const watch = new UsageWatch({ watcher, clock, logger, random: Math.random }, (ref) => queue.add(ref));
  const allUsages = usageLister(reader, types);
  const get = (ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined> =>
    reader.get(ref, ref.namespace, ref.name, signal);
  const ports: UsagePorts = {
    get,
    list: (request, signal) => reader.list(request, signal),
    types,
    allUsages,
    writer,
    isWantedElsewhere: inUse.join(async (ref, signal) => {
      const object = await get(ref, signal);
      return object !== undefined && holdersOf(object, await allUsages(signal)).length > 0;
    }),
    mayDelete: (user, ref, signal) => access(user, 'delete', ref, signal),
    record,
    clock,
  };
  const { turns } = inUse;
  const sweeps = new Queue<string>({ clock, idOf: (key) => key });
  const sweeper = markSweeper(IN_USE_LABEL, {
    ...ports,
    turns,
    allTypes: async (signal) => (await reader.types(signal)).all(),
    isWanted: async (object, signal) =>
      holdersOf(object, await allUsages(signal)).length > 0 ||
      (await ports.isWantedElsewhere(refOf(object), signal)),
    isExempt: ({ name }) => name === CANARY_NAME,
    swept: (ref) => logger.info('took off a mark that nobody wants', { object: keyOf(ref) }),
  });
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
      working('usage', queue, usageReconciler(ports, turns), machinery, () => watch.turnAll()),
      working('marks', sweeps, sweeper, machinery, () => sweeps.add('all'), { workers: 1 }),
    ],
    ready: [{ name: 'usages', problem: () => (watch.isSynced ? undefined : 'have not been listed yet') }],
  };
}
