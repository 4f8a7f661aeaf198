import { describe, expect, test } from 'vitest';
import { fieldAt } from '#pkg/object';
import { configMap, side, usage } from '#test/fakes/usage-world.ts';
import { statusPatch, type Finding } from './status.ts';
import type { Usage } from './usage.ts';

const NOW = Date.UTC(2030, 0, 1);
const SPEC = { of: side('used'), by: side('using') };
const FOUND: Finding = {
  reason: 'Available',
  message: '',
  used: configMap('used', { uid: 'u' }),
  usingUid: 'b',
};
const MISSING: Finding = { reason: 'UsedNotFound', message: 'ConfigMap "used" does not exist' };

function after(finding: Finding, before: Usage = usage(SPEC), now = NOW): Usage {
  const status = statusPatch(before, finding, now) ?? fieldAt(before.object, 'status');
  return usage(SPEC, before.object.metadata, status as object);
}

describe('a status', () => {
  test('says whether the usage is in force, since when, and what was seen', () => {
    expect(statusPatch(usage(SPEC), FOUND, NOW)).toEqual({
      details: 'ConfigMap/using uses ConfigMap/used',
      of: { uid: 'u', namespace: 'here' },
      by: { uid: 'b' },
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Available',
          message: '',
          lastTransitionTime: '2030-01-01T00:00:00.000Z',
          observedGeneration: 0,
        },
      ],
    });
  });

  test.each([
    ['found', FOUND],
    ['missing', MISSING],
  ])('of what is %s is not written twice', (_title, finding) => {
    expect(statusPatch(after(finding), finding, NOW + 1)).toBeUndefined();
  });

  test.each<[string, Finding]>([
    ['reason', { ...FOUND, reason: 'AlreadyTerminating' }],
    ['message', { ...FOUND, message: 'new' }],
    ['UID of what is used', { ...FOUND, used: configMap('used', { uid: 'u2' }) }],
    [
      'place of what is used',
      { ...FOUND, used: { ...configMap('used'), metadata: { name: 'used', uid: 'u' } } },
    ],
    ['UID of what uses it', { ...FOUND, usingUid: 'b2' }],
  ])('is written when the %s is new', (_title, finding) => {
    expect(statusPatch(after(FOUND), finding, NOW)).toBeDefined();
  });

  test('is written when the generation is new', () => {
    const before = after(FOUND);
    const metadata = { ...before.object.metadata, generation: 2 };
    const changed = usage(SPEC, metadata, fieldAt(before.object, 'status') as object);
    expect(fieldAt(statusPatch(changed, FOUND, NOW), 'conditions')).toMatchObject([
      { observedGeneration: 2 },
    ]);
  });

  test('keeps the time of its last transition as long as it stays true, or false', () => {
    const other: Finding = { reason: 'Forbidden', message: 'no' };
    const stillFalse = statusPatch(after(MISSING), other, NOW + 5000);
    expect(fieldAt(stillFalse, 'conditions')).toMatchObject([
      { lastTransitionTime: '2030-01-01T00:00:00.000Z' },
    ]);
    const nowTrue = statusPatch(after(MISSING), FOUND, NOW + 5000);
    expect(fieldAt(nowTrue, 'conditions')).toMatchObject([
      { lastTransitionTime: '2030-01-01T00:00:05.000Z' },
    ]);
  });

  test('keeps the UIDs that were seen when nothing is seen any more', () => {
    expect(statusPatch(after(FOUND), MISSING, NOW)).toMatchObject({ of: { uid: 'u' }, by: { uid: 'b' } });
  });
});
