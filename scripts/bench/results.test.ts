import { expect, test } from 'vitest';
import { arrivalOf, requestsDuring } from './audit.ts';
import { parseUsage, type Run } from './measure.ts';
import { median, resultOf } from './results.ts';

const run = (startedAt: number, wallMs: number, peakBytes?: number): Run => ({
  startedAt,
  endedAt: startedAt + wallMs,
  wallMs,
  usage: peakBytes === undefined ? undefined : { peakBytes, cpuMs: peakBytes / 10 },
});

test('the median is a value that was measured', () => {
  expect(median([5, 1, 100])).toBe(5);
  expect(median([4, 1, 3, 2])).toBe(2);
});

test('a run has the requests that arrived while it ran', () => {
  expect(requestsDuring(run(100, 50), [99, 100, 120, 150, 151])).toBe(3);
});

test('requests of the benchmark itself do not count', () => {
  const at = '2026-11-18T03:00:00.123456Z';
  const event = (userAgent: string): string => JSON.stringify({ userAgent, requestReceivedTimestamp: at });
  expect(arrivalOf(event('kube-lineage/v0.0.0'))).toBe(Date.parse('2026-11-18T03:00:00.123Z'));
  expect(arrivalOf(event('rook-deps-bench/1'))).toBeUndefined();
});

test('a result has the medians of all runs and the fastest of them', () => {
  const contestant = { name: 'x', file: '/x', args: ['a'], count: () => 0 };
  const runs = [run(0, 30, 3000), run(100, 10, 1000), run(200, 20, 2000)];
  expect(resultOf(contestant, runs, [5, 105, 110, 205, 206], 7)).toEqual({
    name: 'x',
    args: ['a'],
    medianMs: 20,
    minMs: 10,
    requests: 2,
    usage: { peakBytes: 2000, cpuMs: 200 },
    dependents: 7,
  });
});

test('usage is read in kilobytes and seconds', () => {
  expect(parseUsage('2048 1.25 0.50\n')).toEqual({ peakBytes: 2 ** 21, cpuMs: 1750 });
});
