import type { Clock } from '#pkg/clock';
import { Backoff, type BackoffOptions } from './backoff.ts';

export interface QueueOptions<K> {
  readonly clock: Clock;
  /** Keys with the same text are the same key. */
  readonly idOf: (key: K) => string;
  readonly backoff?: BackoffOptions | undefined;
}

interface Delayed {
  readonly dueMs: number;
  readonly cancel: () => void;
}

/**
 * Keys that wait for a worker, in the order of their coming. A key waits at most once, is never with two workers, and
 * if added while with a worker is handed out again afterwards. None is lost but by a shutdown.
 */
export class Queue<K> {
  readonly idOf: (key: K) => string;
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  /** To be handed out; none of them is in `#processing`. */
  readonly #waiting = new Map<string, K>();
  readonly #processing = new Set<string>();
  /** Added while in `#processing`: a subset of it. */
  readonly #again = new Map<string, K>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #takers = new Set<() => void>();
  readonly #drained = Promise.withResolvers<void>();
  #closed = false;

  constructor({ clock, idOf, backoff }: QueueOptions<K>) {
    this.idOf = idOf;
    this.#clock = clock;
    this.#backoff = new Backoff(backoff);
  }

  /** Keys ready for a worker, those with one not counted. */
  get depth(): number {
    return this.#waiting.size + this.#again.size;
  }

  add(key: K): void {
    if (this.#closed) return;
    const id = this.idOf(key);
    if (this.#processing.has(id)) {
      this.#again.set(id, key);
      return;
    }
    this.#waiting.set(id, key);
    this.#wakeTaker();
  }

  /** Adds later. Of several delays of a key only the one that ends first counts. */
  addAfter(key: K, delayMs: number): void {
    if (this.#closed) return;
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const id = this.idOf(key);
    const dueMs = this.#clock.now() + delayMs;
    const earlier = this.#delayed.get(id);
    if (earlier && earlier.dueMs <= dueMs) return;
    earlier?.cancel();
    this.#delay(id, key, delayMs, dueMs);
  }

  /** Adds after a wait that grows with each call, until `forget`. */
  retry(key: K): void {
    this.addAfter(key, this.#backoff.nextMs(this.idOf(key)));
  }

  /** The next retry of the key is a first one again. */
  forget(key: K): void {
    this.#backoff.forget(this.idOf(key));
  }

  /** The next key, as soon as there is one; `done` must follow. Undefined after an abort, or shut down and empty. */
  async take(signal: AbortSignal): Promise<K | undefined> {
    while (!signal.aborted) {
      for (const [id, key] of this.#waiting) {
        this.#waiting.delete(id);
        this.#processing.add(id);
        return key;
      }
      if (this.#closed && this.#again.size === 0) return undefined;
      await this.#arrival(signal);
    }
    // The key that woke this taker, if any, is for another.
    this.#wakeTaker();
    return undefined;
  }

  /** The worker has finished with the key. */
  done(key: K): void {
    const id = this.idOf(key);
    this.#processing.delete(id);
    const again = this.#again.get(id);
    if (again !== undefined) {
      this.#again.delete(id);
      this.#waiting.set(id, again);
      this.#wakeTaker();
    }
    this.#settleIfDrained();
  }

  /** Takes no more keys and drops delayed ones. Resolves when all that waited has been handed out and done. */
  shutDown(): Promise<void> {
    this.#closed = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    this.#settleIfDrained();
    return this.#drained.promise;
  }

  #delay(id: string, key: K, delayMs: number, dueMs: number): void {
    const timer = new AbortController();
    const entry: Delayed = { dueMs, cancel: () => timer.abort() };
    this.#delayed.set(id, entry);
    this.#clock.sleep(delayMs, timer.signal).then(
      () => {
        this.#delayed.delete(id);
        this.add(key);
      },
      () => undefined, // cancelled
    );
  }

  #arrival(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#takers.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#takers.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  #wakeTaker(): void {
    if (this.#waiting.size === 0) return;
    const [wake] = this.#takers;
    wake?.();
  }

  #settleIfDrained(): void {
    if (!this.#closed || this.#again.size > 0) return;
    // Nothing more will come but what waits: whoever finds nothing may go.
    for (const wake of this.#takers) wake();
    if (this.#waiting.size === 0 && this.#processing.size === 0) this.#drained.resolve();
  }
}
