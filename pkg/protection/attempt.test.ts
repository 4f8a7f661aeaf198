import { describe, expect, test } from 'vitest';
import { parseAttempts, withAttempt, type Attempt } from './attempt.ts';

describe('an attempt', () => {
  const attempt: Attempt = {
    time: '2030-01-01T00:00:00Z',
    user: { username: 'ada' },
    uid: 'u',
    propagationPolicy: 'Background',
  };
  const known = [attempt];

  test('is read as it was written; without a user or a UID it is none', () => {
    const written = { ...attempt, user: { username: 'ada', uid: '7', groups: ['dev'] } };
    const attempts = [written, { ...attempt, uid: '' }, { ...attempt, user: {} }, 'nonsense'];
    expect(parseAttempts({ status: { attempts } })).toEqual([written]);
  });

  test('that is known is not kept twice, whenever it is made', () => {
    expect(withAttempt(known, { ...attempt, time: '2031-01-01T00:00:00Z' })).toBeUndefined();
  });

  test.each<[string, Partial<Attempt>]>([
    ['user', { user: { username: 'bob' } }],
    ['UID', { uid: 'u2' }],
    ['policy', { propagationPolicy: 'Orphan' }],
  ])('with another %s is kept', (_title, change) => {
    expect(withAttempt(known, { ...attempt, ...change })).toHaveLength(2);
  });

  test('that is vetoed now takes the place of the one that was not', () => {
    expect(withAttempt(known, { ...attempt, vetoed: true })).toEqual([{ ...attempt, vetoed: true }]);
  });

  test('is the last of ten at most', () => {
    const attempts = Array.from({ length: 10 }, (_, index) => ({ ...attempt, uid: `u${index}` }));
    const kept = withAttempt(attempts, attempt);
    expect(kept?.map(({ uid }) => uid)).toEqual(['u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7', 'u8', 'u9', 'u']);
  });
});
