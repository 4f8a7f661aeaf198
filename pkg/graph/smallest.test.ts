import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { smallest } from './smallest.ts';

const upwards = (a: number, b: number): number => a - b;

describe('smallest', () => {
  test('is the beginning of all, sorted', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 60 }), fc.nat(12), (numbers, limit) => {
        expect(smallest(numbers, limit, upwards)).toEqual(numbers.toSorted(upwards).slice(0, limit));
      }),
    );
  });

  test('compares most of many only once', () => {
    let comparisons = 0;
    const numbers = Array.from({ length: 10_000 }, (_, at) => (at * 7919) % 10_007);
    smallest(numbers, 20, (a, b) => ((comparisons += 1), a - b));
    expect(comparisons).toBeLessThan(20_000);
  });
});
