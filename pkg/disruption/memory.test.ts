import { expect, test } from 'vitest';
import { Memory } from './memory.ts';

test('a note is news when it was not the last one, and again after there was none', () => {
  const memory = new Memory();
  const news = ['a', 'a', 'b', undefined, undefined, 'b'].map((note) => memory.isNews(note));
  expect(news).toEqual([true, false, true, false, false, true]);
});

test('looks become rarer down to one in 30 seconds, and start anew when something has changed', () => {
  const memory = new Memory();
  const waits = ['a', 'a', 'a', 'a', 'a', 'a', 'b', 'a'].map((sign) => memory.waitMs(sign));
  expect(waits).toEqual([3000, 6000, 12_000, 24_000, 30_000, 30_000, 3000, 3000]);
});
