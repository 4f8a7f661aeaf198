import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { codesPage, CODES_FILE } from './codes-page.ts';

test('docs/codes.md is what "npm run docs" writes', async () => {
  expect(readFileSync(CODES_FILE, 'utf8')).toBe(await codesPage());
});
