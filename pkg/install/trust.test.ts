import { expect, test } from 'vitest';
import { listAt, textAt, type KubeObject } from '#pkg/object';
import { isLenient, trusting } from './trust.ts';

const NAMES = ['in-use.rook-deps.io', 'rook.rook-deps.io'];

function configuration(
  cas: Readonly<Record<string, string | undefined>>,
  owned: readonly string[] = [],
): KubeObject {
  const fields = owned.map((name) => [`k:{"name":"${name}"}`, { 'f:clientConfig': { 'f:caBundle': {} } }]);
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: {
      name: 'rook-deps',
      managedFields: [
        {
          manager: 'rook-deps-install',
          operation: 'Apply',
          fieldsV1: { 'f:webhooks': Object.fromEntries(fields) },
        },
      ],
    },
    webhooks: Object.entries(cas).map(([name, caBundle]) => ({
      name,
      failurePolicy: 'Fail',
      clientConfig: { service: { name: 's' }, ...(caBundle ? { caBundle } : {}) },
    })),
  };
}

const [NARROW = '', WIDE = ''] = NAMES;
const WANTED = configuration({ [NARROW]: undefined, [WIDE]: undefined });

function casOf(object: KubeObject): readonly (string | undefined)[] {
  return listAt(object, 'webhooks').map((webhook) => textAt(webhook, 'clientConfig', 'caBundle'));
}

test('a new configuration gets the CA that the controller has made', () => {
  const made = trusting(WANTED, undefined, 'new');
  expect(casOf(made)).toEqual(['new', 'new']);
  expect(isLenient(made)).toBe(false);
});

test('without a CA only the webhook of unprotected objects lets things pass', () => {
  const made = trusting(WANTED, undefined, undefined);
  const policies = listAt(made, 'webhooks').map((webhook) => textAt(webhook, 'failurePolicy'));
  expect(policies).toEqual(['Fail', 'Ignore']);
  expect(isLenient(made)).toBe(true);
});

test('a CA that the controller has written is left to it, and still counts as known', () => {
  const made = trusting(WANTED, configuration({ [NARROW]: 'its', [WIDE]: 'its' }), 'of the Secret');
  expect(casOf(made)).toEqual([undefined, undefined]);
  expect(isLenient(made)).toBe(false);
});

test('a CA that we have written is repeated, since leaving it out would remove it', () => {
  const current = configuration({ [NARROW]: 'ours', [WIDE]: 'ours' }, NAMES);
  expect(casOf(trusting(WANTED, current, 'of the Secret'))).toEqual(['ours', 'ours']);
});

test('a webhook that an upgrade adds gets the CA of the others', () => {
  const made = trusting(WANTED, configuration({ [NARROW]: 'its' }), undefined);
  expect(casOf(made)).toEqual([undefined, 'its']);
  expect(isLenient(made)).toBe(false);
});
