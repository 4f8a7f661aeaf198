import { expect, test } from 'vitest';
import { startOf, startTable } from './startup.ts';

const run = (wallMs: number, cpuMs?: number) => ({
  startedAt: 0,
  endedAt: wallMs,
  wallMs,
  usage: cpuMs === undefined ? undefined : { cpuMs, peakBytes: 2 ** 25 },
});

test('a start has the median and the fastest of its runs', () => {
  const program = { name: 'x', file: '/x', args: [] };
  expect(startOf(program, [run(30, 20), run(10, 8), run(20, 12)])).toEqual({
    program,
    medianMs: 20,
    minMs: 10,
    peakBytes: 2 ** 25,
  });
});

test('a table relates all times to that of the yardstick', () => {
  const ours = { name: 'ours', file: '/o', args: ['version', '--client'] };
  const kubectl = { name: 'kubectl', file: '/k', args: ['version', '--client'] };
  const starts = [startOf(ours, [run(50, 40)]), startOf(kubectl, [run(40)])];
  expect(startTable(starts, kubectl).split('\n')).toEqual([
    '| command                    | median | fastest | × kubectl |  peak memory |',
    '| -------------------------- | -----: | ------: | --------: | -----------: |',
    '| `ours version --client`    |  50 ms |   50 ms |    1.25 × |       32 MiB |',
    '| `kubectl version --client` |  40 ms |   40 ms |    1.00 × | not measured |',
  ]);
  expect(() => startTable(starts, { ...kubectl })).toThrow('cannot find kubectl');
});
