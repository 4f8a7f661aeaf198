import { expect, test } from 'vitest';
import { table } from './table.ts';

test('columns are as wide as their widest cell and three spaces apart', () => {
  expect(
    table([
      ['A', 'LONG', 'C'],
      ['long-cell', 'x', 'y'],
    ]),
  ).toEqual(['A           LONG   C', 'long-cell   x      y']);
});

test('no line ends in spaces, whichever cells are empty', () => {
  expect(
    table([
      ['a', 'b', 'c'],
      ['d', '', ''],
      ['', '', 'e'],
    ]),
  ).toEqual(['a   b   c', 'd', '        e']);
});

test('colours take no room', () => {
  expect(
    table([
      ['\u001b[31mab\u001b[0m', 'x'],
      ['c', 'y'],
    ]),
  ).toEqual(['\u001b[31mab\u001b[0m   x', 'c    y']);
});

test('a table without rows has no lines', () => {
  expect(table([])).toEqual([]);
});
