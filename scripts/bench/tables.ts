import type { Result } from './results.ts';

const HEAD = ['command', 'median', 'fastest', '× ours', 'CPU', 'requests', 'peak memory', 'dependents found'];
const UNKNOWN = 'not measured';

/** A Markdown table of the answers to one question, ours first; padded, so that a terminal shows it well, too. */
export function resultTable(results: readonly Result[]): string {
  const [ours] = results;
  if (!ours) return '';
  const rows = results.map((result) => [
    `\`${[result.name, ...result.args].join(' ')}\``,
    seconds(result.medianMs),
    seconds(result.minMs),
    `${(result.medianMs / ours.medianMs).toFixed(2)} ×`,
    result.usage ? seconds(result.usage.cpuMs) : UNKNOWN,
    String(result.requests),
    result.usage ? `${Math.round(result.usage.peakBytes / 2 ** 20)} MiB` : UNKNOWN,
    result.dependents.toLocaleString('en'),
  ]);
  return markdownTable(HEAD, rows);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

/** The first column to the left, numbers to the right. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, at) => Math.max(cell.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
