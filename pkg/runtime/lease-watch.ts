import type { Clock } from '#pkg/clock';
import type { KubeObject } from '#pkg/object';
import { durationMsOf, holderOf, signOfLife } from './lease.ts';
import { timeLimit, type TimeLimit } from './time-limit.ts';

/**
 * Watches somebody else's lease for signs of life. Their times are never compared with ours: what counts is how long
 * ago, by our own timers, we last saw the record change.
 */
export class LeaseWatch {
  readonly #clock: Clock;
  readonly #defaultDurationMs: number;
  #seen: { readonly signOfLife: string; readonly silence: TimeLimit } | undefined;

  constructor(clock: Clock, defaultDurationMs: number) {
    this.#clock = clock;
    this.#defaultDurationMs = defaultDurationMs;
  }

  /** Whether the lease may be taken, given what it looks like now. */
  isFree(lease: KubeObject): boolean {
    if (holderOf(lease) === undefined) return true;
    const sign = signOfLife(lease);
    if (this.#seen?.signOfLife !== sign) {
      this.stop();
      const silence = timeLimit(
        this.#clock,
        durationMsOf(lease) ?? this.#defaultDurationMs,
        'the holder is silent',
      );
      this.#seen = { signOfLife: sign, silence };
    }
    return this.#seen.silence.signal.aborted;
  }

  stop(): void {
    this.#seen?.silence.cancel();
    this.#seen = undefined;
  }
}
