import { describe, expect, test } from 'vitest';
import { cutToBytes } from './cut-text.ts';

describe('cutToBytes', () => {
  test.for([
    { text: 'abc', max: 3, cut: 'abc' },
    { text: 'abcdef', max: 5, cut: 'ab…' },
    { text: 'a€€€', max: 8, cut: 'a€…' },
    { text: 'a𝄞𝄞', max: 8, cut: 'a𝄞…' },
    { text: 'a𝄞𝄞', max: 7, cut: 'a…' },
  ])('$text within $max bytes is $cut', ({ text, max, cut }) => {
    expect(cutToBytes(text, max)).toBe(cut);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
  });
});
