import { DependentsWatch, isDue, NamespaceMarks, Namespaces } from '#pkg/dependents';
import { isConflict, keyOf, type KubeObject, type ObjectRef } from '#pkg/object';
import { controller, Queue, type Component, type Reconciler } from '#pkg/runtime';
import type { Machinery } from './feature.ts';

const WORKERS = 4;
const RECONCILE_TIMEOUT_MS = 60_000;

/** What is followed, and whose turn it is when it changes. */
export class DependentsQueues {
  readonly watch: DependentsWatch;
  readonly namespaces: Namespaces;
  readonly running: readonly Component[];
  readonly #machinery: Machinery;
  readonly #marks: NamespaceMarks;
  readonly #resources: Queue<ObjectRef>;
  readonly #drains: Queue<string>;
  readonly #markings: Queue<string>;
  readonly #mayHoldData: (resource: KubeObject) => boolean;

  constructor(machinery: Machinery, mayHoldData: (resource: KubeObject) => boolean) {
    const { watcher, clock, logger } = machinery;
    const ports = { watcher, clock, logger, random: Math.random };
    this.#machinery = machinery;
    this.#mayHoldData = mayHoldData;
    this.#resources = new Queue({ clock, idOf: keyOf });
    this.#drains = new Queue({ clock, idOf: (name) => name });
    this.#markings = new Queue({ clock, idOf: (name) => name });
    this.namespaces = new Namespaces(ports, (name) => this.#touchedNamespace(name));
    this.watch = new DependentsWatch(ports, (ref) => this.#touched(ref));
    this.#marks = this.#newMarks();
    this.running = [
      { name: 'watches of dependents', run: (signal) => this.watch.run(signal) },
      { name: 'watch of namespaces', run: (signal) => this.namespaces.run(signal) },
    ];
  }

  /** A leader that has just become one gives everybody a turn. */
  reconciling(own: Reconciler<ObjectRef>, drain: Reconciler<string>): readonly Component[] {
    return [
      this.#working('dependents', this.#resources, own, () => {
        for (const { ref } of this.watch.resources()) this.#touched(ref);
      }),
      this.#working('namespaces', this.#drains, drain, () => {
        for (const name of this.namespaces.names()) this.#touchedNamespace(name);
      }),
      this.#working('namespace-marks', this.#markings, this.#marks, () => undefined),
    ];
  }

  #touched(ref: ObjectRef): void {
    if (isDue(ref, { cache: this.watch, mayHoldData: this.#mayHoldData })) this.#resources.add(ref);
    if (ref.namespace) this.#touchedNamespace(ref.namespace);
  }

  #touchedNamespace(name: string): void {
    if (this.namespaces.going(name)) this.#drains.add(name);
    if (this.#marks.isDue(name)) this.#markings.add(name);
  }

  #newMarks(): NamespaceMarks {
    const { reader, writer, inUse } = this.#machinery;
    const isWantedElsewhere = inUse.join(async (ref) => this.#marks.keeps(ref));
    return new NamespaceMarks({
      get: (ref, signal) => reader.get(ref, ref.namespace, ref.name, signal),
      writer,
      turns: inUse.turns,
      isMarked: (name) => this.namespaces.isMarked(name),
      isNeeded: (name) => this.watch.holdsNamespace(name, this.#mayHoldData),
      isComplete: () => this.watch.isComplete,
      isWantedElsewhere,
    });
  }

  #working<K>(name: string, queue: Queue<K>, reconciler: Reconciler<K>, begin: () => void): Component {
    const { logger, metrics, clock } = this.#machinery;
    metrics.watchQueue(name, () => queue.depth);
    const { run } = controller({
      name,
      queue,
      reconciler,
      workers: WORKERS,
      timeoutMs: RECONCILE_TIMEOUT_MS,
      logger,
      metrics,
      clock,
      isConflict,
    });
    return {
      name,
      run: (signal) => {
        begin();
        return run(signal);
      },
    };
  }
}
