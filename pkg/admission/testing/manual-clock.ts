import type { Clock } from '#pkg/clock';

/** Time that stands still until a test moves it. */
export class ManualClock implements Clock {
  #nowMs: number;
  readonly #sleepers = new Set<{ readonly atMs: number; readonly wake: () => void }>();
  #onSleep: (() => void)[] = [];

  constructor(nowMs = 0) {
    this.#nowMs = nowMs;
  }

  readonly now = (): number => this.#nowMs;

  readonly sleep = (ms: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (ms <= 0) return Promise.resolve();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper = { atMs: this.#nowMs + ms, wake: resolve };
    this.#sleepers.add(sleeper);
    signal.addEventListener('abort', () => {
      this.#sleepers.delete(sleeper);
      reject(signal.reason as Error);
    });
    for (const notify of this.#onSleep.splice(0)) notify();
    return promise;
  };

  get sleeperCount(): number {
    return this.#sleepers.size;
  }

  /** Resolves when somebody next falls asleep. */
  nextSleep(): Promise<void> {
    return new Promise((resolve) => this.#onSleep.push(resolve));
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    for (const sleeper of [...this.#sleepers].filter(({ atMs }) => atMs <= this.#nowMs)) {
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }
}
