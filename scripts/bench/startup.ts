import { median } from './results.ts';
import type { Program, Run } from './measure.ts';
import { markdownTable } from './tables.ts';

/** What was measured of one program that does next to nothing. */
export interface Start {
  readonly program: Program;
  readonly medianMs: number;
  readonly minMs: number;
  /** Undefined where nothing could measure it. */
  readonly usage: Run['usage'];
}

export function startOf(program: Program, runs: readonly Run[]): Start {
  const times = runs.map(({ wallMs }) => wallMs);
  const usages = runs.map(({ usage }) => usage).filter((usage) => usage !== undefined);
  return {
    program,
    medianMs: median(times),
    minMs: Math.min(...times),
    usage:
      usages.length === 0
        ? undefined
        : {
            peakBytes: median(usages.map(({ peakBytes }) => peakBytes)),
            cpuMs: median(usages.map(({ cpuMs }) => cpuMs)),
          },
  };
}

/** A Markdown table in which every time is related to that of `yardstick`. */
export function startTable(starts: readonly Start[], yardstick: Program): string {
  const reference = starts.find(({ program }) => program === yardstick);
  if (!reference) throw new Error(`cannot find ${yardstick.name} among what was measured`);
  const head = ['command', 'median', 'fastest', `× ${yardstick.name}`, 'CPU', 'peak memory'];
  const rows = starts.map(({ program, medianMs, minMs, usage }) => [
    `\`${[program.name, ...program.args].join(' ')}\``,
    milliseconds(medianMs),
    milliseconds(minMs),
    `${(medianMs / reference.medianMs).toFixed(2)} ×`,
    usage ? milliseconds(usage.cpuMs) : 'not measured',
    usage ? `${Math.round(usage.peakBytes / 2 ** 20)} MiB` : 'not measured',
  ]);
  return markdownTable(head, rows);
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(0)} ms`;
}
