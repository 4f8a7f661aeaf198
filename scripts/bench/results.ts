import { requestsDuring } from './audit.ts';
import type { Run, Usage } from './measure.ts';
import type { Contestant } from './questions.ts';

/** What was measured of one program and one question. */
export interface Result {
  readonly name: string;
  readonly args: readonly string[];
  readonly medianMs: number;
  readonly minMs: number;
  readonly requests: number;
  /** Undefined where nothing could measure it. */
  readonly usage: Usage | undefined;
  readonly dependents: number;
}

/** Sums up the runs of one program. */
export function resultOf(
  { name, args }: Contestant,
  runs: readonly Run[],
  arrivals: readonly number[],
  dependents: number,
): Result {
  const times = runs.map(({ wallMs }) => wallMs);
  const usages = runs.map(({ usage }) => usage).filter((usage) => usage !== undefined);
  return {
    name,
    args,
    medianMs: median(times),
    minMs: Math.min(...times),
    requests: median(runs.map((run) => requestsDuring(run, arrivals))),
    usage: usages.length > 0 ? medianUsage(usages) : undefined,
    dependents,
  };
}

function medianUsage(usages: readonly Usage[]): Usage {
  return {
    peakBytes: median(usages.map(({ peakBytes }) => peakBytes)),
    cpuMs: median(usages.map(({ cpuMs }) => cpuMs)),
  };
}

/** The middle one; of an even number, the lower of both: always a value that was measured. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new RangeError('cannot take the median of nothing');
  return middle;
}
