import { describe, expect, test } from 'vitest';
import { fieldAt, listAt, textAt, type KubeObject } from '#pkg/object';
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
      clientConfig: { service: { name: 's', path: '/delete' }, ...(caBundle ? { caBundle } : {}) },
    })),
  };
}

const [NARROW = '', WIDE = ''] = NAMES;
const WANTED = configuration({ [NARROW]: undefined, [WIDE]: undefined });

const SECRET = { ca: 'of the Secret', token: 'a'.repeat(64) };

function casOf(object: KubeObject): readonly (string | undefined)[] {
  return listAt(object, 'webhooks').map((webhook) => textAt(webhook, 'clientConfig', 'caBundle'));
}

test('a new configuration gets the CA that the controller has made', () => {
  const made = trusting(WANTED, undefined, { ca: 'new' });
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
  const made = trusting(WANTED, configuration({ [NARROW]: 'its', [WIDE]: 'its' }), SECRET);
  expect(casOf(made)).toEqual([undefined, undefined]);
  expect(isLenient(made)).toBe(false);
});

test('a CA that we have written is repeated, since leaving it out would remove it', () => {
  const current = configuration({ [NARROW]: 'ours', [WIDE]: 'ours' }, NAMES);
  expect(casOf(trusting(WANTED, current, SECRET))).toEqual(['ours', 'ours']);
});

test('a webhook that an upgrade adds gets the CA of the others', () => {
  const made = trusting(WANTED, configuration({ [NARROW]: 'its' }), undefined);
  expect(casOf(made)).toEqual([undefined, 'its']);
  expect(isLenient(made)).toBe(false);
});

test('a webhook that is never to insist is no reason to warn', () => {
  const easy = { name: 'easy.rook-deps.io', failurePolicy: 'Ignore', clientConfig: {} };
  const made = trusting({ ...WANTED, webhooks: [...listAt(WANTED, 'webhooks'), easy] }, undefined, SECRET);
  expect(isLenient(made)).toBe(false);
});

describe('the token', () => {
  const PATH = '/delete';
  const LOCKED = `${PATH}/${SECRET.token}`;
  const OTHER = `${PATH}/${'b'.repeat(64)}`;

  function calling(path: string, isOurs: boolean): KubeObject {
    const field = { 'f:clientConfig': { 'f:service': { 'f:path': {} } } };
    const fieldsV1 = { 'f:webhooks': { [`k:{"name":"${NARROW}"}`]: field } };
    return {
      ...WANTED,
      metadata: {
        name: 'rook-deps',
        managedFields: isOurs ? [{ manager: 'rook-deps-install', operation: 'Apply', fieldsV1 }] : [],
      },
      webhooks: [{ name: NARROW, clientConfig: { caBundle: 'x', service: { name: 's', path } } }],
    };
  }

  test.for([
    { name: 'of the Secret is in a new configuration', current: undefined, path: LOCKED },
    { name: 'is added to a path of before', current: calling(PATH, true), path: LOCKED },
    { name: 'is added to a path that somebody wrote', current: calling(PATH, false), path: LOCKED },
    {
      name: 'that the controller has written is left to it',
      current: calling(OTHER, false),
      path: undefined,
    },
    { name: 'that we have written is repeated', current: calling(OTHER, true), path: OTHER },
    {
      name: 'is behind a path that has changed',
      current: calling(`/old/${SECRET.token}`, false),
      path: LOCKED,
    },
  ])('$name', ({ current, path }) => {
    const [made] = listAt(trusting(WANTED, current, SECRET), 'webhooks');
    expect(fieldAt(made, 'clientConfig', 'service')).toEqual({ name: 's', ...(path && { path }) });
  });

  test('is not needed by a controller that has none', () => {
    for (const current of [undefined, calling(PATH, true)]) {
      const [made] = listAt(trusting(WANTED, current, { ca: 'x' }), 'webhooks');
      expect(textAt(made, 'clientConfig', 'service', 'path')).toBe(PATH);
    }
  });
});
