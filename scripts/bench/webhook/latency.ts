/** Of many times, in milliseconds. */
export interface Latency {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** By nearest rank. */
export function latencyOf(timesMs: readonly number[]): Latency {
  const sorted = timesMs.toSorted((a, b) => a - b);
  const rank = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
  return { count: sorted.length, p50Ms: rank(0.5), p99Ms: rank(0.99), maxMs: rank(1) };
}

/** Does something `count` times, `atOnce` of them at a time, and measures each. */
export async function measured(
  count: number,
  atOnce: number,
  work: (at: number) => Promise<void>,
): Promise<Latency> {
  const timesMs: number[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const at = next++;
      const started = performance.now();
      await work(at);
      timesMs.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return latencyOf(timesMs);
}
