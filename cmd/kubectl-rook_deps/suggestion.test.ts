import { expect, test } from 'vitest';
import { nearest } from './suggestion.ts';

const COMMANDS = ['why', 'tree', 'graph', 'explain'];

const rows: [string, string | undefined][] = [
  ['wyh', 'why'],
  ['WHY', 'why'],
  ['tre', 'tree'],
  ['grpah', 'graph'],
  ['explian', 'explain'],
  ['three', 'tree'],
  ['frobnicate', undefined],
  ['delete', undefined],
];
test.for(rows)('%s is meant for %s', ([word, meant]) => {
  expect(nearest(word, COMMANDS)).toBe(meant);
});
