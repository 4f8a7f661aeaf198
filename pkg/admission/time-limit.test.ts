import { expect, test } from 'vitest';
import { timeLimitMs } from './time-limit.ts';

test.for([
  { timeout: '10s', limitMs: 9_000 },
  { timeout: '3s', limitMs: 2_400 },
  { timeout: '1s', limitMs: 800 },
  { timeout: '30s', limitMs: 29_000 },
  { timeout: '1m0s', limitMs: 29_000 },
  { timeout: '1.5s', limitMs: 1_200 },
  { timeout: '500ms', limitMs: 400 },
  { timeout: null, limitMs: 9_000 },
  { timeout: '', limitMs: 9_000 },
  { timeout: '0s', limitMs: 9_000 },
  { timeout: '-5s', limitMs: 9_000 },
  { timeout: 'soon', limitMs: 9_000 },
  { timeout: '99999999h', limitMs: 29_000 },
])('of a webhook with timeout $timeout is $limitMs ms', ({ timeout, limitMs }) => {
  expect(timeLimitMs(timeout)).toBe(limitMs);
});
