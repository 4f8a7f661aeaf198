import { expect, test } from 'vitest';
import { Args } from './args.ts';
import { timeoutMs } from './timeout.ts';

test.for([
  { text: undefined, ms: 7 },
  { text: '90', ms: 90_000 },
  { text: '90s', ms: 90_000 },
  { text: '5m', ms: 300_000 },
  { text: '1h30m', ms: 5_400_000 },
])('$text is $ms ms', ({ text, ms }) => {
  expect(timeoutMs(new Args([], { timeout: text }), 7)).toBe(ms);
});

test.for(['', 'x', '5 m', '-1s', '5d'])('"%s" is refused', (text) => {
  expect(() => timeoutMs(new Args([], { timeout: text }), 7)).toThrow('for "--timeout" flag');
});
