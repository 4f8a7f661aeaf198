import { expect, test } from 'vitest';
import { humanDuration } from './duration.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

const rows: [number, string][] = [
  [-5 * SECOND, '0s'],
  [0, '0s'],
  [999, '0s'],
  [119 * SECOND + 999, '119s'],
  [2 * MINUTE, '2m'],
  [9 * MINUTE + 5 * SECOND, '9m5s'],
  [10 * MINUTE + 59 * SECOND, '10m'],
  [179 * MINUTE + 59 * SECOND, '179m'],
  [3 * HOUR, '3h'],
  [7 * HOUR + 59 * MINUTE, '7h59m'],
  [8 * HOUR + 59 * MINUTE, '8h'],
  [47 * HOUR + 59 * MINUTE, '47h'],
  [2 * DAY, '2d'],
  [7 * DAY + 3 * HOUR, '7d3h'],
  [8 * DAY + 23 * HOUR, '8d'],
  [729 * DAY, '729d'],
  [2 * YEAR, '2y'],
  [2 * YEAR + 10 * DAY, '2y10d'],
  [8 * YEAR + 300 * DAY, '8y'],
];
test.for(rows)('%i ms are %s', ([ms, text]) => {
  expect(humanDuration(ms)).toBe(text);
});
