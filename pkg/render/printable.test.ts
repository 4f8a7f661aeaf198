import { expect, test } from 'vitest';
import { printable } from './printable.ts';

const rows = [
  { name: 'an escape sequence', text: '\u001b[2Jgone', shown: '^[[2Jgone' },
  { name: 'a carriage return', text: 'good\rbad', shown: 'good\\rbad' },
  { name: 'a line break', text: 'a\nb', shown: 'a\\nb' },
  { name: 'a tab', text: 'a\tb', shown: 'a b' },
  { name: 'NUL and BEL', text: '\u0000\u0007', shown: '\\u0000\\u0007' },
  { name: 'DEL', text: '\u007f', shown: '\\u007f' },
  { name: 'CSI as one C1 character', text: '\u009b31m', shown: '\\u009b31m' },
  { name: 'right-to-left override', text: 'a\u202eb', shown: 'a\\u202eb' },
  { name: 'directional isolates', text: '\u2066a\u2069', shown: '\\u2066a\\u2069' },
  { name: 'the Arabic letter mark', text: '\u061c', shown: '\\u061c' },
  { name: 'zero-width characters', text: 'a\u200bb\u200d', shown: 'a\\u200bb\\u200d' },
  { name: 'line and paragraph separators', text: '\u2028\u2029', shown: '\\u2028\\u2029' },
  { name: 'a byte order mark', text: '\ufeffa', shown: '\\ufeffa' },
];
test.for(rows)('$name is made visible', ({ text, shown }) => {
  expect(printable(text)).toBe(shown);
});

test('letters of all languages stay as they are', () => {
  expect(printable('pool-1 Straße 日本語 עברית 🐙')).toBe('pool-1 Straße 日本語 עברית 🐙');
});
