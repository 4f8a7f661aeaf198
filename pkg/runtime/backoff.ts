export interface BackoffOptions {
  /** After the first failure. */
  readonly baseMs: number;
  /** No wait is longer, jitter included. */
  readonly capMs: number;
  /** Share of a wait that is left to chance, 0 to 1, so that what failed together does not return together. */
  readonly jitter: number;
  /** From 0 to below 1; replaced in tests. */
  readonly random?: (() => number) | undefined;
}

export const DEFAULT_BACKOFF: BackoffOptions = { baseMs: 100, capMs: 60_000, jitter: 0.2 };

/** Waits that double with each failure of a key, until the key is forgotten. */
export class Backoff {
  readonly #options: BackoffOptions;
  readonly #failures = new Map<string, number>();

  constructor(options: BackoffOptions = DEFAULT_BACKOFF) {
    this.#options = options;
  }

  /** Counts a failure and returns how long to wait before the next try. */
  nextMs(id: string): number {
    const { baseMs, capMs, jitter, random = Math.random } = this.#options;
    const failures = this.#failures.get(id) ?? 0;
    this.#failures.set(id, failures + 1);
    const fullMs = Math.min(capMs, baseMs * 2 ** failures);
    return fullMs * (1 - jitter * random());
  }

  forget(id: string): void {
    this.#failures.delete(id);
  }
}
