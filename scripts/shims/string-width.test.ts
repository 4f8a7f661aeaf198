import { expect, test } from 'vitest';
import stringWidth from './string-width.ts';

test.for([
  { text: '', width: 0 },
  { text: 'replicapool', width: 11 },
  { text: '\u001b[31mred\u001b[0m', width: 3 },
  { text: '├─ ✔ é', width: 6 },
  { text: 'e\u0301', width: 1 },
  { text: '貯蔵', width: 4 },
  { text: '한글', width: 4 },
  { text: '❤\ufe0f', width: 2 },
  { text: '🇩🇪', width: 2 },
  { text: '👩‍🔧', width: 2 },
  { text: 'a\u200bb\n', width: 2 },
])('$text takes $width columns', ({ text, width }) => {
  expect(stringWidth(text)).toBe(width);
});
