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

test('a webhook is shown without the token in its path', () => {
  const webhook = { apiVersion: 'a/v1', kind: 'ValidatingWebhookConfiguration', metadata };
  const token = '0'.repeat(64);
  const calls = (end: string): object[] => [
    { name: 'a', clientConfig: { caBundle: 'x', service: { name: 's', path: `/delete${end}`, port: 443 } } },
    { name: 'b', clientConfig: { url: `https://127.0.0.1/delete${end}` } },
  ];
  expect(withoutSecrets({ ...webhook, webhooks: calls(`/${token}`) })).toEqual({
    ...webhook,
    webhooks: calls(''),
  });
});
