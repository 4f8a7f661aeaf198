/** Lets one at a time act on a key, in the order they came. */
export class Turns<K> {
  readonly #last = new Map<K, Promise<void>>();

  async take<T>(key: K, act: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const { promise: after, resolve: end } = Promise.withResolvers<void>();
    this.#last.set(key, after);
    await before;
    try {
      return await act();
    } finally {
      if (this.#last.get(key) === after) this.#last.delete(key);
      end();
    }
  }
}
