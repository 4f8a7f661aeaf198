import { expect, test } from 'vitest';
import { withMeasured } from './document.ts';
import { resultTable } from './tables.ts';

test('a table relates every time to that of the first row', () => {
  const ours = {
    name: 'ours',
    args: ['why'],
    medianMs: 500,
    minMs: 480,
    requests: 17,
    usage: { peakBytes: 2 ** 27, cpuMs: 700 },
    dependents: 7000,
  };
  const peer = { ...ours, name: 'peer', medianMs: 1250, minMs: 1200, usage: undefined, dependents: 0 };
  expect(resultTable([ours, peer]).split('\n')).toEqual([
    '| command    | median | fastest | × ours |          CPU | requests |  peak memory | dependents found |',
    '| ---------- | -----: | ------: | -----: | -----------: | -------: | -----------: | ---------------: |',
    '| `ours why` | 0.50 s |  0.48 s | 1.00 × |       0.70 s |       17 |      128 MiB |            7,000 |',
    '| `peer why` | 1.25 s |  1.20 s | 2.50 × | not measured |       17 | not measured |                0 |',
  ]);
});

test('only what stands between the markers of a document is replaced', () => {
  const document = 'before\n<!-- measured: begin -->\nold\n<!-- measured: end -->\nafter\n';
  expect(withMeasured(document, 'new\n')).toBe(
    'before\n<!-- measured: begin -->\n\nnew\n\n<!-- measured: end -->\nafter\n',
  );
});

test('a document without markers is an error, not overwritten', () => {
  expect(() => withMeasured('text', 'new')).toThrow('cannot find');
});
