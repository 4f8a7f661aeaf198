import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How late timers came since the previous reading: what a request had to wait before anyone looked at it. */
export interface LagReading {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface EventLoopLag {
  /** Starts the next reading, which misses the time up to its first tick. */
  read(): LagReading;
  stop(): void;
}

/** Measures until it is stopped; does not keep the process alive. */
export function measureEventLoopLag(resolutionMs = 10): EventLoopLag {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  // What is recorded is the time between two ticks: the tick itself is no lag. An empty histogram has odd extremes.
  const lagMs = (nanoseconds: number): number =>
    histogram.count === 0 ? 0 : Math.max(0, nanoseconds / 1e6 - resolutionMs);
  return {
    read() {
      const reading = {
        p50Ms: lagMs(histogram.percentile(50)),
        p99Ms: lagMs(histogram.percentile(99)),
        maxMs: lagMs(histogram.max),
      };
      histogram.reset();
      return reading;
    },
    stop: () => void histogram.disable(),
  };
}
