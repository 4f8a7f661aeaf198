import { questionsAbout } from '#pkg/ceph';
import {
  creationHandler,
  dependentsGuard,
  dependentsReconciler,
  drainReconciler,
  type DependentsWatch,
} from '#pkg/dependents';
import type { KubeObject, ObjectRef } from '#pkg/object';
import { DependentsFinder } from './dependents-finder.ts';
import { DependentsQueues } from './dependents-queues.ts';
import type { Feature, Machinery } from './feature.ts';
import { cacheLagMs } from './working.ts';

/** Rook's resources are not deleted while anything depends on them. */
export function dependentsFeature(machinery: Machinery): Feature {
  const { reader, writer, record, clock, metrics, cephMode } = machinery;
  const get = (ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined> =>
    reader.get(ref, ref.namespace, ref.name, signal);
  const mayHoldData = (resource: KubeObject): boolean =>
    cephMode !== 'off' && questionsAbout(resource).length > 0;
  const queues = new DependentsQueues(machinery, mayHoldData);
  const { watch, namespaces } = queues;
  const finder = new DependentsFinder(machinery, watch, mayHoldData);
  const find = finder.find.bind(finder);
  metrics.watchCacheLag('dependents', () => cacheLagMs(watch, clock.now()));
  return {
    handlers: new Map([
      ['/create', creationHandler({ providersOf: (object) => watch.providersOf(object), get })],
    ]),
    guard: dependentsGuard({
      held: (subject) => watch.held(subject),
      find,
      exists: (ref, signal) =>
        get(ref, signal).then(
          (object) => object !== undefined,
          // Who cannot be asked about is taken for what the cache says.
          () => true,
        ),
    }),
    everywhere: [finder.thread, ...queues.running],
    leading: queues.reconciling(
      dependentsReconciler({ get, writer, cache: watch, mayHoldData, find, record, clock }),
      drainReconciler({
        namespace: (name) => namespaces.going(name),
        get,
        resourcesIn: (name) => resourcesIn(watch, name),
        isHeld: (resource) => watch.isHeld(resource),
        writer,
        clock,
      }),
    ),
    ready: [
      { name: 'dependents', problem: () => (watch.hasLooked ? undefined : 'have not been listed yet') },
    ],
  };
}

function resourcesIn(watch: DependentsWatch, namespace: string): readonly KubeObject[] {
  return [...watch.resources()]
    .filter(({ ref }) => ref.namespace === namespace)
    .flatMap(({ object }) => object ?? []);
}
