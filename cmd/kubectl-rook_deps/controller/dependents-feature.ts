import { skippedCeph } from '#pkg/ceph';
import {
  creationHandler,
  dependentsGuard,
  dependentsReconciler,
  DependentsWatch,
  drainReconciler,
  isDue,
  sharedCensus,
  sharedLooks,
  TerminatingNamespaces,
  verifiedFinder,
  withContents,
} from '#pkg/dependents';
import { keyOf, type KubeObject, type ObjectRef } from '#pkg/object';
import { Queue, type Component, type Reconciler } from '#pkg/runtime';
import type { Feature, Machinery } from './feature.ts';
import { LookThread } from './look-thread.ts';
import { cacheLagMs, working } from './working.ts';

const LOOK_MS = 10_000;

/** Rook's resources are not deleted while anything depends on them. */
export function dependentsFeature(machinery: Machinery): Feature {
  const { reader, writer, record, census, clock, logger, metrics } = machinery;
  const watches = followed(machinery);
  const { watch } = watches;
  const thread = new LookThread(machinery.connection, logger);
  const look = sharedLooks((subjects, signal) => thread.look(subjects, signal), LOOK_MS);
  // Ceph itself is not asked yet: whoever asks it takes the place of `skippedCeph`.
  const find = withContents(
    verifiedFinder({ cache: watch, census: sharedCensus(census, LOOK_MS), look, clock }),
    skippedCeph(),
  );
  const get = (ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined> =>
    reader.get(ref, ref.namespace, ref.name, signal);
  metrics.watchCacheLag('dependents', () => cacheLagMs(watch, clock.now()));
  return {
    handlers: new Map([
      ['/create', creationHandler({ providersOf: (object) => watch.providersOf(object), get })],
    ]),
    guard: dependentsGuard({
      held: (resource) => watch.held(resource),
      find,
      exists: (ref, signal) =>
        get(ref, signal).then(
          (object) => object !== undefined,
          // Who cannot be asked about is taken for what the cache says.
          () => true,
        ),
    }),
    everywhere: [thread, ...watches.running],
    leading: watches.reconciling(
      dependentsReconciler({ get, writer, cache: watch, find, record, clock }),
      drainReconciler({
        namespace: (name) => watches.namespaces.get(name),
        resourcesIn: (name) => resourcesIn(watch, name),
        isHeld: (resource) => watch.isHeld(resource),
        writer,
      }),
    ),
    ready: [
      { name: 'dependents', problem: () => (watch.hasLooked ? undefined : 'have not been listed yet') },
    ],
  };
}

/** What is followed, and whose turn it is when it changes. */
function followed(machinery: Machinery) {
  const { watcher, clock, logger } = machinery;
  const ports = { watcher, clock, logger, random: Math.random };
  const resources = new Queue<ObjectRef>({ clock, idOf: keyOf });
  const drains = new Queue<string>({ clock, idOf: (name) => name });
  const namespaces = new TerminatingNamespaces(ports, (name) => drains.add(name));
  const touched = (ref: ObjectRef): void => {
    if (isDue(ref, watch)) resources.add(ref);
    if (ref.namespace && namespaces.get(ref.namespace)) drains.add(ref.namespace);
  };
  const watch = new DependentsWatch(ports, touched);
  const running: readonly Component[] = [
    { name: 'watches of dependents', run: (signal) => watch.run(signal) },
    { name: 'watch of namespaces', run: (signal) => namespaces.run(signal) },
  ];
  /** A leader that has just become one gives everybody a turn. */
  const reconciling = (own: Reconciler<ObjectRef>, drain: Reconciler<string>): readonly Component[] => [
    working('dependents', resources, own, machinery, () => {
      for (const { ref } of watch.resources()) touched(ref);
    }),
    working('namespaces', drains, drain, machinery, () => {
      for (const name of namespaces.names()) drains.add(name);
    }),
  ];
  return { watch, namespaces, running, reconciling };
}

function resourcesIn(watch: DependentsWatch, namespace: string): readonly KubeObject[] {
  return [...watch.resources()]
    .filter(({ ref }) => ref.namespace === namespace)
    .flatMap(({ object }) => object ?? []);
}
