import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '#pkg/clock';

interface Sleeper {
  dueMs: number;
  readonly wake: () => void;
}

/** Time that passes only when a test says so. */
export class FakeClock implements Clock {
  #nowMs: number;
  readonly #sleepers = new Set<Sleeper>();

  constructor(nowMs = Date.UTC(2030, 0, 1)) {
    this.#nowMs = nowMs;
  }

  readonly now = (): number => this.#nowMs;

  readonly sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#sleepers.delete(sleeper);
        signal.removeEventListener('abort', abort);
      };
      const abort = (): void => {
        leave();
        reject(signal.reason as Error);
      };
      const sleeper: Sleeper = {
        dueMs: this.#nowMs + Math.max(0, ms),
        wake: () => {
          leave();
          resolve();
        },
      };
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      this.#sleepers.add(sleeper);
      signal.addEventListener('abort', abort);
    });

  /** How many wait for time to pass. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** Wakes sleepers in their order, and lets what they started run, up to and including that time. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (await settle(); ; await settle()) {
      const next = this.#next();
      if (!next || next.dueMs > untilMs) break;
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.wake();
    }
    this.#nowMs = untilMs;
  }

  /** Sets the time of day, as an administrator or a time server does: no sleeper notices. */
  jump(ms: number): void {
    this.#nowMs += ms;
    for (const sleeper of this.#sleepers) sleeper.dueMs += ms;
  }

  #next(): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const sleeper of this.#sleepers) if (!first || sleeper.dueMs < first.dueMs) first = sleeper;
    return first;
  }
}

/** Resolves when all that can run without waiting for time or input has run. */
export async function settle(): Promise<void> {
  await nextTurn();
}
