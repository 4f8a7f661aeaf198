import type { WatchEvent } from '#pkg/kube';
import { keyOf, refOf, type KubeObject, type ObjectKey } from '#pkg/object';
import type { KindSpec } from './kind-spec.ts';
import type { Entry, Store } from './store.ts';
import { errorOf } from './watch-state.ts';

/**
 * Brings what lists and watches deliver into a store. While a list is under way it is collected aside: the store goes
 * from the old state to the new one at once.
 */
export class Intake<T, Name extends string> {
  readonly #project: (object: KubeObject) => T | undefined;
  readonly #store: Store<T, Name>;
  #collected: Map<ObjectKey, Entry<T>> | undefined;
  /** All changes up to here are in the store; undefined before the first list, and when a new one is needed. */
  resourceVersion: string | undefined;

  constructor({ project }: Pick<KindSpec<T, Name>, 'project'>, store: Store<T, Name>) {
    this.#project = project;
    this.#store = store;
  }

  /** What was collected before is forgotten. */
  beginList(): void {
    this.#collected = new Map();
  }

  endList(resourceVersion: string): void {
    if (this.#collected) this.#store.replace(this.#collected);
    this.#collected = undefined;
    this.resourceVersion = resourceVersion;
  }

  /** The server has no such kind, for certain. */
  forgetAll(): void {
    this.#store.forgetAll();
  }

  collect(object: KubeObject): void {
    const key = keyOf(refOf(object));
    const entry = this.#entryOf(key, object);
    if (entry) this.#collected?.set(key, entry);
  }

  /** Throws what an event of kind error means. True: all that existed has arrived. */
  take(event: WatchEvent): boolean {
    switch (event.kind) {
      case 'opened':
        return false;
      case 'error':
        throw errorOf(event);
      case 'bookmark':
        if (event.isEndOfInitial) this.endList(event.resourceVersion);
        // Before the end of a list a version means nothing: the objects before it may still be missing.
        else if (!this.#collected) this.resourceVersion = event.resourceVersion;
        return event.isEndOfInitial;
      case 'added':
      case 'modified':
      case 'deleted':
        this.#change(event.kind === 'deleted', event.object);
        return false;
    }
  }

  #change(isGone: boolean, object: KubeObject): void {
    const key = keyOf(refOf(object));
    const entry = isGone ? undefined : this.#entryOf(key, object);
    if (this.#collected) {
      if (entry) this.#collected.set(key, entry);
      else this.#collected.delete(key);
      return;
    }
    if (entry) this.#store.set(key, entry);
    else this.#store.delete(key);
    this.resourceVersion = object.metadata.resourceVersion ?? this.resourceVersion;
  }

  #entryOf(key: ObjectKey, object: KubeObject): Entry<T> | undefined {
    const { uid = '', resourceVersion = '' } = object.metadata;
    const known = this.#store.entry(key);
    if (known?.resourceVersion === resourceVersion && known.uid === uid) return known;
    const value = this.#project(object);
    return value === undefined ? undefined : { value, uid, resourceVersion };
  }
}
