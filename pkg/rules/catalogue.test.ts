import { describe, expect, test } from 'vitest';
import { KNOWN_TYPES } from '#pkg/object';
import { CODE_PAGES, RULES } from './catalogue.ts';

describe('the catalogue', () => {
  test('numbers the pages in order, and none twice', () => {
    const codes = CODE_PAGES.map(({ code }) => code);
    for (const code of codes) expect(code).toMatch(/^RD\d{3}$/);
    expect(codes).toEqual([...new Set(codes)].sort());
    expect(codes.length).toBeGreaterThan(40);
  });

  test('has a rule for each page but those of Ceph itself and of drains', () => {
    const codes = new Set(RULES.map(({ code }) => code));
    expect(CODE_PAGES.map(({ code }) => code).filter((code) => !codes.has(code))).toEqual([
      'RD027',
      'RD050',
      'RD051',
      'RD052',
      'RD053',
      'RD054',
      'RD055',
      'RD056',
      'RD070',
      'RD071',
      'RD072',
      'RD073',
    ]);
    expect(codes.size).toBe(RULES.length);
  });

  test.for(CODE_PAGES)('$code has a title, a meaning and a remedy', ({ title, meaning, remedy }) => {
    expect(title).toMatch(/^[A-Z].*[^.]$/);
    expect(meaning).toMatch(/^[A-Z].*[.]$/);
    expect(remedy.length).toBeGreaterThan(0);
    for (const line of remedy) expect(line).toMatch(/\S/);
  });

  test.for(RULES)('$code reads, targets and consults kinds that are known', (rule) => {
    const consulted = (rule.consults ?? []).map(({ kind }) => kind);
    for (const kinds of [rule.reads, rule.targets, consulted]) {
      for (const kind of kinds === 'any' ? [] : kinds) expect(KNOWN_TYPES).toContain(kind);
    }
  });

  test('lets only StorageClasses, connections, owners and the past pass without blocking', () => {
    const shown = RULES.filter(({ blocks }) => !blocks).map(({ code }) => code);
    expect(shown).toEqual(['RD020', 'RD021', 'RD022', 'RD029', 'RD030', 'RD038', 'RD060', 'RD061', 'RD062']);
  });
});
