/** Pauses between attempts. */
export interface Pauses {
  readonly firstMs: number;
  readonly mostMs: number;
}

/** Doubles with each attempt in a row, from the first (1) on; half of it is left to chance, so that many do not come at once. */
export function pauseMs({ firstMs, mostMs }: Pauses, attempt: number, random: () => number): number {
  const fullMs = Math.min(mostMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  return fullMs / 2 + (fullMs / 2) * random();
}
