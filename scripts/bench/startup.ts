import { median } from './results.ts';
import type { Program, Run } from './measure.ts';
import { markdownTable } from './tables.ts';

/** What was measured of one program that does next to nothing. */
export interface Start {
  readonly program: Program;
  readonly medianMs: number;
  readonly minMs: number;
  /** Undefined where nothing could measure it. */
  readonly peakBytes: number | undefined;
}

export function startOf(program: Program, runs: readonly Run[]): Start {
  const times = runs.map(({ wallMs }) => wallMs);
  const peaks = runs.flatMap(({ usage }) => (usage ? [usage.peakBytes] : []));
  return {
    program,
    medianMs: median(times),
    minMs: Math.min(...times),
    peakBytes: peaks.length > 0 ? median(peaks) : undefined,
  };
}

/** A Markdown table in which every time is related to that of `yardstick`. */
export function startTable(starts: readonly Start[], yardstick: Program): string {
  const reference = starts.find(({ program }) => program === yardstick);
  if (!reference) throw new Error(`cannot find ${yardstick.name} among what was measured`);
  const head = ['command', 'median', 'fastest', `× ${yardstick.name}`, 'peak memory'];
  const rows = starts.map(({ program, medianMs, minMs, peakBytes }) => [
    `\`${[program.name, ...program.args].join(' ')}\``,
    milliseconds(medianMs),
    milliseconds(minMs),
    `${(medianMs / reference.medianMs).toFixed(2)} ×`,
    // No CPU: it is counted in hundredths of a second, of which a start takes three.
    peakBytes !== undefined ? `${Math.round(peakBytes / 2 ** 20)} MiB` : 'not measured',
  ]);
  return markdownTable(head, rows);
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(0)} ms`;
}
