import { describe, expect, test } from 'vitest';
import { isInstalled } from './installed.mjs';

const lock = (packages: object): string => JSON.stringify({ packages });
const a = { version: '1.0.0', integrity: 'sha512-a' };
const root = { name: 'root', version: '0.1.0' };

describe('isInstalled', () => {
  test.for([
    { name: 'all packages are there', lockfile: { '': root, a }, installed: { a }, expected: true },
    {
      name: 'an optional package is absent',
      lockfile: { a, b: { ...a, optional: true } },
      installed: { a },
      expected: true,
    },
    { name: 'a package is absent', lockfile: { a, b: a }, installed: { a }, expected: false },
    {
      name: 'a version differs',
      lockfile: { a },
      installed: { a: { ...a, version: '1.0.1' } },
      expected: false,
    },
    {
      name: 'a hash differs',
      lockfile: { a },
      installed: { a: { ...a, integrity: 'sha512-b' } },
      expected: false,
    },
  ])('is $expected when $name', ({ lockfile, installed, expected }) => {
    expect(isInstalled(lock(lockfile), lock(installed))).toBe(expected);
  });

  test('is false when nothing was ever installed', () => {
    expect(isInstalled(lock({ a }), undefined)).toBe(false);
  });
});
