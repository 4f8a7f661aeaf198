import type { Clock } from '#pkg/clock';

/** A pause that others can cut short. */
export class Nap {
  readonly #clock: Clock;
  #alarm: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends after `ms`, or when `end` is called, or by an abort; does not throw for either. */
  async take(ms: number, signal: AbortSignal): Promise<void> {
    const alarm = new AbortController();
    this.#alarm = alarm;
    const either = AbortSignal.any([signal, alarm.signal]);
    await this.#clock.sleep(ms, either).catch((error: unknown) => {
      if (!either.aborted) throw error;
    });
    this.#alarm = undefined;
  }

  end(): void {
    this.#alarm?.abort();
  }
}
