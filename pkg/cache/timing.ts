import type { Pauses } from './back-off.ts';

export interface Timing {
  /** After a failure. */
  readonly pauses: Pauses;
  /** Until a kind is looked for again that is not served or that we may not see. */
  readonly slowPauses: Pauses;
  /** A watch that lived so long was sound: the next attempt follows at once. */
  readonly steadyAfterMs: number;
  /** A watch lasts once to twice this long, by chance: not all end together. */
  readonly watchSeconds: number;
  /** Objects per page, where lists come in pages. */
  readonly pageSize: number;
}

export const DEFAULT_TIMING: Timing = {
  pauses: { firstMs: 200, mostMs: 30_000 },
  slowPauses: { firstMs: 2_000, mostMs: 30_000 },
  steadyAfterMs: 10_000,
  watchSeconds: 300,
  pageSize: 500,
};
