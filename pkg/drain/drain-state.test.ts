import { describe, expect, test } from 'vitest';
import { Kinds, type KubeObject } from '#pkg/object';
import { anObject } from '#test/fixtures/objects.ts';
import { parseRookState, parseState } from './drain-state.ts';

const configMap = (data: Readonly<Record<string, string>>): KubeObject =>
  anObject(Kinds.ConfigMap, 's', { data });

describe('our record of a drain', () => {
  test.for(['', '{', '[]', '{"noout":{}}', '{"draining":7,"noout":[{"domain":"a"}]}'])(
    'reads as nothing when somebody has broken it: %s',
    (text) => {
      expect(parseState(configMap({ 'state.json': text }))).toEqual({ noout: [] });
    },
  );

  test('is none without a ConfigMap', () => {
    expect(parseState(undefined)).toEqual({ noout: [] });
  });
});

describe('11.4 what Rook has written down', () => {
  const at = '2026-11-18T09:00:00Z';

  test.for([
    { name: 'nothing drains', data: { 'draining-failure-domain': '', 'set-no-out': '' } },
    {
      name: 'an OSD is down and no node is drained',
      data: { 'draining-failure-domain': 'zone-x', 'set-no-out': '', 'zone-x-noout-last-set-at': at },
      draining: 'zone-x',
    },
    {
      name: 'a node is drained',
      data: { 'draining-failure-domain': 'zone-x', 'set-no-out': 'true', 'zone-x-noout-last-set-at': at },
      draining: 'zone-x',
      noout: [{ domain: 'zone-x', since: Date.parse(at), phase: 'set' }],
    },
    {
      name: 'a time is none, or of another domain',
      data: {
        'draining-failure-domain': 'zone-x',
        'set-no-out': 'true',
        'zone-x-noout-last-set-at': 'soon',
        'zone-y-noout-last-set-at': at,
      },
      draining: 'zone-x',
    },
  ])('$name', ({ data, draining, noout = [] }) => {
    expect(parseRookState(configMap(data))).toEqual({ ...(draining ? { draining } : {}), noout });
  });
});
