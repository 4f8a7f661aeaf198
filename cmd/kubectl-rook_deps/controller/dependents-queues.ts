import { DependentsWatch, isDue, NamespaceMarks, Namespaces } from '#pkg/dependents';
import { keyOf, type KubeObject, type ObjectRef } from '#pkg/object';
import { Queue, type Component, type Reconciler } from '#pkg/runtime';
import type { Machinery } from './feature.ts';
import { working } from './working.ts';

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
      working('dependents', this.#resources, own, this.#machinery, () => {
        for (const { ref } of this.watch.resources()) this.#touched(ref);
      }),
      working('namespaces', this.#drains, drain, this.#machinery, () => {
        for (const name of this.namespaces.names()) this.#touchedNamespace(name);
      }),
      working('namespace-marks', this.#markings, this.#marks, this.#machinery, () => undefined),
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
}
