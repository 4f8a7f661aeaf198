import { expect, test } from 'vitest';
import { load } from './js-yaml.ts';

test('anchors, aliases and merge keys are resolved', () => {
  const text =
    'base: &base {server: https://one, insecure: true}\ncluster:\n  <<: *base\n  server: https://two\n';
  expect(load(text)).toEqual({
    base: { server: 'https://one', insecure: true },
    cluster: { server: 'https://two', insecure: true },
  });
});

test('malformed text is refused', () => {
  expect(() => load('a: [')).toThrow();
});
