import type { Clock } from '#pkg/clock';
import { timeLimit, type TimeLimit } from './time-limit.ts';

/** A stretch of time in which we may lead, from its creation on. */
export class Tenure {
  readonly #clock: Clock;
  readonly #endMs: number;
  readonly #limit: TimeLimit;
  readonly #over = new AbortController();

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#endMs = clock.now() + ms;
    this.#limit = timeLimit(clock, ms, 'the renew deadline has passed');
    this.#limit.signal.addEventListener('abort', () => this.#over.abort());
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /**
   * By timer or by time of day, whichever comes first: timers stand still while a machine is suspended, and a time of
   * day that is set forward only costs the lead.
   */
  get isOver(): boolean {
    return this.#over.signal.aborted || this.#clock.now() >= this.#endMs;
  }

  /** It counts no more: another has taken its place, or it never began. */
  cancel(): void {
    this.#limit.cancel();
  }

  end(): void {
    this.#limit.cancel();
    this.#over.abort();
  }
}
