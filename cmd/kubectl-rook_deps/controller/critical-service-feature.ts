import type { AdmissionHandler } from '#pkg/admission';
import {
  ANY_TYPE,
  CRITICAL_LABEL,
  CRITICAL_SERVICE,
  criticalGuard,
  criticalServiceAdmission,
  criticalServiceReconciler,
  CriticalWatch,
  currentHolders,
  DEFINITION,
  isMarkedFor,
  parseCriticalService,
  refusalRecorder,
  type CriticalService,
  type CriticalServicePorts,
} from '#pkg/criticalservice';
import { keyOf, type ObjectKey, type ObjectRef, type Reader } from '#pkg/object';
import { markSweeper, Turns } from '#pkg/protection';
import { Queue } from '#pkg/runtime';
import type { Feature, Machinery } from './feature.ts';
import { cacheLagMs, working } from './working.ts';

/** Between two looks at a kind whose objects come or go in numbers. */
const SOON_MS = 2_000;

/** CriticalService. */
export function criticalServiceFeature(machinery: Machinery): Feature {
  const { watcher, types, metrics, clock, logger } = machinery;
  const queue = new Queue<ObjectRef>({ clock, idOf: keyOf });
  const watch = new CriticalWatch({ watcher, clock, logger, random: Math.random, types }, (ref, when) =>
    when === 'now' ? queue.add(ref) : queue.addAfter(ref, SOON_MS),
  );
  const ports = portsOf(machinery, watch);
  const turns = new Turns<ObjectKey>();
  const sweeps = new Queue<string>({ clock, idOf: (key) => key });
  const sweeper = markSweeper(CRITICAL_LABEL, {
    ...ports,
    turns,
    list: (request, signal) => machinery.reader.list(request, signal),
    allTypes: async (signal) => (await machinery.reader.types(signal)).all(),
    isWanted: async (object, signal) => {
      const known = await types(ANY_TYPE, signal);
      return (await ports.allServices(signal)).some((service) => isMarkedFor(service, object, known));
    },
    isExempt: () => false,
    swept: (ref) => logger.info('took off a mark that nobody wants', { object: keyOf(ref) }),
  });
  metrics.watchCacheLag('CriticalService', () => cacheLagMs(watch, clock.now()));
  return {
    handlers: new Map([['/critical-service', criticalServiceReviewer(machinery)]]),
    guard: criticalGuard({
      ...ports,
      cache: watch,
      recordRefusal: refusalRecorder(ports),
      now: clock.now,
    }),
    everywhere: [{ name: 'watches of critical services', run: (signal) => watch.run(signal) }],
    leading: [
      working('critical-service', queue, criticalServiceReconciler(ports, turns), machinery, () =>
        watch.turnAll(),
      ),
      working('critical-marks', sweeps, sweeper, machinery, () => sweeps.add('all'), { workers: 1 }),
    ],
    ready: [
      { name: 'critical services', problem: () => (watch.isSynced ? undefined : 'have not been listed yet') },
    ],
  };
}

/** Judges who makes or changes a CriticalService. */
export function criticalServiceReviewer({ reader, types, access, namespace }: Machinery): AdmissionHandler {
  const we = { username: `system:serviceaccount:${namespace}:rook-deps-controller` };
  return criticalServiceAdmission({
    types,
    allServices: (signal) => allServices(reader, types, signal),
    mayDelete: (user, ref, signal) => access(user, 'delete', ref, signal),
    mayWeDelete: (ref, signal) => access(we, 'delete', ref, signal),
  });
}

function portsOf(
  { reader, writer, watcher, types, access, record, clock }: Machinery,
  watch: CriticalWatch,
): CriticalServicePorts {
  return {
    get: (ref, signal) => reader.get(ref, ref.namespace, ref.name, signal),
    types,
    holders: (kind, finalizer, signal) =>
      currentHolders(kind, finalizer, { watcher, known: (one, name) => watch.known(one, name) }, signal),
    definitions: async (signal) => {
      const { items, gaps } = await reader.list({ kind: DEFINITION, detail: 'object' }, signal);
      const [gap] = gaps;
      if (gap) throw new Error(`cannot list ${gap.what}: ${gap.reason}`);
      return items;
    },
    allServices: (signal) => allServices(reader, types, signal),
    standing: (criterion) => watch.standing(criterion),
    writer,
    mayDelete: (user, ref, signal) => access(user, 'delete', ref, signal),
    record,
    clock,
  };
}

/** Throws when they could not be read: unknown is not none. */
async function allServices(
  reader: Reader,
  types: Machinery['types'],
  signal: AbortSignal,
): Promise<readonly CriticalService[]> {
  // A server that is just starting may lack them for a moment.
  if (!(await types(CRITICAL_SERVICE, signal)).find(CRITICAL_SERVICE))
    throw new Error(`the server does not have ${CRITICAL_SERVICE.kind} at present`);
  const { items, gaps } = await reader.list({ kind: CRITICAL_SERVICE, detail: 'object' }, signal);
  const [gap] = gaps;
  if (gap) throw new Error(`cannot list ${gap.what}: ${gap.reason}`);
  return items.map(parseCriticalService);
}
