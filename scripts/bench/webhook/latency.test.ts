import { describe, expect, test } from 'vitest';
import { latencyOf, measured } from './latency.ts';

describe('latencies', () => {
  test('are taken by rank', () => {
    const times = Array.from({ length: 100 }, (_, at) => 100 - at);
    expect(latencyOf(times)).toEqual({ count: 100, p50Ms: 50, p99Ms: 99, maxMs: 100 });
  });

  test('are measured of each call, no more at once than wanted', async () => {
    let [atWork, most] = [0, 0];
    const { count } = await measured(20, 4, async () => {
      most = Math.max(most, ++atWork);
      await Promise.resolve();
      atWork -= 1;
    });
    expect([count, most]).toEqual([20, 4]);
  });
});
