import { expect, test } from 'vitest';
import { requestTimeoutMs } from './request-timeout.ts';

test.for([
  { text: '0', ms: 0 },
  { text: '5', ms: 5000 },
  { text: '1m30s', ms: 90_000 },
  { text: '1.5h', ms: 5_400_000 },
  { text: '250ms', ms: 250 },
])('$text is $ms ms', ({ text, ms }) => {
  expect(requestTimeoutMs(text)).toBe(ms);
});

test.for(['', 'abc', '5 s', '-5', '1m30', 's', '1d'])('%o is refused', (text) => {
  expect(() => requestTimeoutMs(text)).toThrow('error: Invalid timeout value.');
});
