import type { ObjectKey } from '#pkg/object';
import { IndexMap, type IndexFunctions } from './index-map.ts';

/** What is kept of one object. */
export interface Entry<T> {
  readonly value: T;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Before and after; `old` alone: it is gone, `new` alone: it came. Never the same object under two UIDs. */
export interface ObjectChange<T> {
  readonly key: ObjectKey;
  readonly old?: T;
  readonly new?: T;
  /** Forgotten with its kind, which is not served at present: it may still be there. */
  readonly isForgotten?: true;
}

export type ChangeListener<T> = (change: ObjectChange<T>) => void;

/** What one may ask of a store. */
export interface StoreView<T, Name extends string = never> {
  readonly size: number;
  get(key: ObjectKey): T | undefined;
  keys(): Iterable<ObjectKey>;
  values(): Iterable<T>;
  /** The keys of all objects that an index files under `value`. */
  keysBy(index: Name, value: string): Iterable<ObjectKey>;
  /** How many an index files under `value`, without looking at them. */
  countBy(index: Name, value: string): number;
  /** The objects that an index files under `value`. */
  valuesBy(index: Name, value: string): Iterable<T>;
  /** Listeners are called after the change, one after another; they do not throw. Returns how to stop listening. */
  onChange(listener: ChangeListener<T>): () => void;
}

/** Objects of one kind by key, and keys by whatever indexes compute. */
export class Store<T, Name extends string = never> implements StoreView<T, Name> {
  #entries = new Map<ObjectKey, Entry<T>>();
  readonly #indexes: IndexMap<T, Name>;
  readonly #listeners = new Set<ChangeListener<T>>();

  constructor(indexes: IndexFunctions<T, Name>) {
    this.#indexes = new IndexMap(indexes);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: ObjectKey): T | undefined {
    return this.#entries.get(key)?.value;
  }

  entry(key: ObjectKey): Entry<T> | undefined {
    return this.#entries.get(key);
  }

  keys(): Iterable<ObjectKey> {
    return this.#entries.keys();
  }

  *values(): Iterable<T> {
    for (const { value } of this.#entries.values()) yield value;
  }

  keysBy(index: Name, value: string): Iterable<ObjectKey> {
    return this.#indexes.keys(index, value);
  }

  countBy(index: Name, value: string): number {
    return this.#indexes.count(index, value);
  }

  *valuesBy(index: Name, value: string): Iterable<T> {
    for (const key of this.#indexes.keys(index, value)) {
      const entry = this.#entries.get(key);
      if (entry) yield entry.value;
    }
  }

  onChange(listener: ChangeListener<T>): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  set(key: ObjectKey, entry: Entry<T>): void {
    const old = this.#entries.get(key);
    if (old?.resourceVersion === entry.resourceVersion && old.uid === entry.uid) return;
    this.#entries.set(key, entry);
    this.#indexes.move(key, old?.value, entry.value);
    this.#tell(key, old, entry);
  }

  delete(key: ObjectKey): void {
    const old = this.#entries.get(key);
    if (!old) return;
    this.#entries.delete(key);
    this.#indexes.move(key, old.value, undefined);
    this.#tell(key, old, undefined);
  }

  /** From one state to another at once: listeners are told of what differs when all of it is in place. */
  replace(entries: Map<ObjectKey, Entry<T>>): void {
    const before = this.#entries;
    const changed: [ObjectKey, Entry<T> | undefined, Entry<T> | undefined][] = [];
    for (const [key, old] of before) if (!entries.has(key)) changed.push([key, old, undefined]);
    for (const [key, entry] of entries) {
      const old = before.get(key);
      if (old?.resourceVersion !== entry.resourceVersion || old.uid !== entry.uid)
        changed.push([key, old, entry]);
    }
    this.#entries = entries;
    for (const [key, old, entry] of changed) this.#indexes.move(key, old?.value, entry?.value);
    for (const [key, old, entry] of changed) this.#tell(key, old, entry);
  }

  /** The kind is not served. */
  forgetAll(): void {
    const before = this.#entries;
    this.#entries = new Map();
    for (const [key, old] of before) this.#indexes.move(key, old.value, undefined);
    for (const [key, { value }] of before)
      for (const listener of this.#listeners) listener({ key, old: value, isForgotten: true });
  }

  #tell(key: ObjectKey, old: Entry<T> | undefined, entry: Entry<T> | undefined): void {
    if (old && entry && old.uid !== entry.uid) {
      // Deleted and made anew while nobody looked: whoever waits for the end of the first must hear of it.
      this.#tell(key, old, undefined);
      this.#tell(key, undefined, entry);
      return;
    }
    const change = { key, ...(old && { old: old.value }), ...(entry && { new: entry.value }) };
    for (const listener of this.#listeners) listener(change);
  }
}
