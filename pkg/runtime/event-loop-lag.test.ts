import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { measureEventLoopLag } from './event-loop-lag.ts';

test('a blocked event loop shows as lag, once', async () => {
  const lag = measureEventLoopLag();
  try {
    lag.read();
    // What is measured is the time between two ticks: there must be one before.
    await delay(50);
    const untilMs = performance.now() + 200;
    while (performance.now() < untilMs);
    await delay(50);
    const blocked = lag.read();
    expect(blocked.maxMs).toBeGreaterThan(150);
    expect(blocked.p50Ms).toBeLessThanOrEqual(blocked.maxMs);
    expect(lag.read()).toEqual({ p50Ms: 0, p99Ms: 0, maxMs: 0 });
  } finally {
    lag.stop();
  }
});
