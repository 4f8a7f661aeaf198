import type { ObjectKey } from '#pkg/object';

/** Under which values an object is filed; none, one or several. */
export type IndexFunction<T> = (value: T) => Iterable<string>;

export type IndexFunctions<T, Name extends string> = Readonly<Record<Name, IndexFunction<T>>>;

/** For each named index, the keys of the objects filed under each value. */
export class IndexMap<T, Name extends string> {
  readonly #functions: IndexFunctions<T, Name>;
  readonly #keys = new Map<string, Map<string, Set<ObjectKey>>>();

  constructor(functions: IndexFunctions<T, Name>) {
    this.#functions = functions;
    for (const name of Object.keys(functions)) this.#keys.set(name, new Map());
  }

  keys(name: Name, value: string): Iterable<ObjectKey> {
    return this.#keys.get(name)?.get(value) ?? [];
  }

  count(name: Name, value: string): number {
    return this.#keys.get(name)?.get(value)?.size ?? 0;
  }

  move(key: ObjectKey, old: T | undefined, value: T | undefined): void {
    for (const [name, index] of this.#keys) {
      const fileUnder = this.#functions[name as Name];
      if (old !== undefined) for (const word of fileUnder(old)) drop(index, word, key);
      if (value !== undefined) for (const word of fileUnder(value)) add(index, word, key);
    }
  }
}

function add(index: Map<string, Set<ObjectKey>>, word: string, key: ObjectKey): void {
  const keys = index.get(word);
  if (keys) keys.add(key);
  else index.set(word, new Set([key]));
}

/** Empty sets go, too: words that come only once would pile up. */
function drop(index: Map<string, Set<ObjectKey>>, word: string, key: ObjectKey): void {
  const keys = index.get(word);
  if (keys?.delete(key) && keys.size === 0) index.delete(word);
}
