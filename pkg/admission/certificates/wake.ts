import type { Clock } from '#pkg/clock';

/** A sleep that others can cut short. A call that nobody waits for is kept for the next sleep. */
export class Wake {
  #isCalled = false;
  #sleeping: AbortController | undefined;

  call(): void {
    this.#isCalled = true;
    this.#sleeping?.abort();
  }

  /** Returns when called, or after `ms`. Rejects when the signal is aborted. */
  async sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const sleeping = new AbortController();
    this.#sleeping = sleeping;
    if (this.#isCalled) sleeping.abort();
    try {
      await clock.sleep(ms, AbortSignal.any([sleeping.signal, signal]));
    } catch (error) {
      if (signal.aborted || !sleeping.signal.aborted) throw error;
    } finally {
      this.#sleeping = undefined;
    }
    this.#isCalled = false;
  }
}
