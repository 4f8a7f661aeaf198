import { UserError } from '#pkg/object';
import type { Args } from './args.ts';

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** The value of `--timeout` in ms: `90s`, `5m`, `1h30m`, or seconds without a unit. */
export function timeoutMs(args: Args, standardMs: number): number {
  const text = args.text('timeout');
  if (text === undefined) return standardMs;
  if (/^\d+$/.test(text)) return Number(text) * UNITS_MS.s;
  if (!/^(\d+[smh])+$/.test(text))
    throw new UserError(
      `error: invalid argument "${text}" for "--timeout" flag: must be a time such as 90s or 5m`,
    );
  return [...text.matchAll(/(\d+)([smh])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS],
    0,
  );
}
