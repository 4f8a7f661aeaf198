/** Lets a number of tasks in at a time; the others wait in order. */
export class Gate {
  readonly #width: number;
  #inside = 0;
  readonly #waiting = new Set<() => void>();

  constructor(width: number) {
    this.#width = width;
  }

  /** Rejects with the signal's reason if it is aborted while waiting; then the task has not begun. */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#enter(signal);
    try {
      return await task();
    } finally {
      this.#leave();
    }
  }

  #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#inside < this.#width) {
      this.#inside += 1;
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = (): void => {
      this.#waiting.delete(enter);
      reject(signal.reason as Error);
    };
    const enter = (): void => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    };
    signal.addEventListener('abort', giveUp, { once: true });
    this.#waiting.add(enter);
    return promise;
  }

  /** The place goes straight to the next in line, so that nobody can slip in between. */
  #leave(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#inside -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
