import { expect, test } from 'vitest';
import { withoutSecrets } from './confidential.ts';

const metadata = { name: 'a' };

test('a Secret is shown without what it holds', () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque' };
  const full = { ...secret, data: { 'ca.key': 'x' }, stringData: { 'ca.key': 'x' } };
  expect(withoutSecrets(full)).toEqual(secret);
});

test('any other object is shown as it is', () => {
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'b' } };
  expect(withoutSecrets(map)).toBe(map);
});
