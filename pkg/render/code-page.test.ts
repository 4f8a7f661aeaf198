import { describe, expect, test } from 'vitest';
import { CODE_PAGES } from '#pkg/rules';
import { renderCodeList, renderCodePage } from './code-page.ts';

describe('a page', () => {
  test('has title, meaning and remedy, wrapped', async () => {
    const page = {
      code: 'RD999',
      title: 'Something that holds',
      meaning: 'word '.repeat(30).trim(),
      remedy: ['Do this.', 'step '.repeat(30).trim()],
    };
    await expect(renderCodePage(page)).toMatchFileSnapshot('../../test/fixtures/golden/code-page.txt');
  });

  test.for(CODE_PAGES)('$code fits in 100 columns and says what to do', (page) => {
    const text = renderCodePage(page);
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100);
    expect(text).toMatch(/^RD\d{3} {2}\S[^]+\n\nWhat to do:\n {2}- \S/);
  });
});

test('the list has a line for each code', () => {
  const lines = renderCodeList(CODE_PAGES).split('\n');
  expect(lines[0]).toBe('CODE    MEANING');
  expect(lines.slice(1).map((line) => line.slice(0, 5))).toEqual(CODE_PAGES.map(({ code }) => code));
});
