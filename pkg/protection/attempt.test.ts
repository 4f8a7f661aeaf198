import { describe, expect, test } from 'vitest';
import { configMap, deletionOf } from '#test/fakes/usage-world.ts';
import { attemptOf, heededBy, isExpired, parseAttempts, withAttempt, type Attempt } from './attempt.ts';
import { GARBAGE_COLLECTOR } from './patient.ts';

describe('an attempt', () => {
  const attempt: Attempt = {
    time: '2030-01-01T00:00:00Z',
    user: { username: 'ada' },
    uid: 'u',
    propagationPolicy: 'Background',
  };
  const known = [attempt];

  test('is who wants which object gone and how; vetoed, if another protection wants that', () => {
    const object = configMap('used', { uid: 'u' });
    const by = (username: string) =>
      deletionOf(object, { userInfo: { username, uid: '', groups: ['dev'], extra: {} } });
    const user = { username: 'ada', groups: ['dev'] };
    const made = { ...attempt, time: '2030-01-01T00:00:00.000Z', user };
    const now = Date.parse(attempt.time);
    expect(attemptOf({ object, request: by('ada') }, false, now)).toEqual(made);
    expect(attemptOf({ object, request: by('ada') }, true, now)).toEqual({ ...made, vetoed: true });
    expect(attemptOf({ object, request: by(GARBAGE_COLLECTOR) }, true, now).vetoed).toBeUndefined();
  });

  test('is read as it was written; without a user or a UID it is none', () => {
    const written = { ...attempt, user: { username: 'ada', uid: '7', groups: ['dev'] } };
    const attempts = [written, { ...attempt, uid: '' }, { ...attempt, user: {} }, 'nonsense'];
    expect(parseAttempts({ status: { attempts } })).toEqual([written]);
  });

  test('that is known is not kept twice; who asks again after an hour still means it', () => {
    expect(withAttempt(known, { ...attempt, time: '2030-01-01T00:59:59Z' })).toBeUndefined();
    const again = { ...attempt, time: '2030-01-01T01:00:00Z' };
    expect(withAttempt(known, again)).toEqual([again]);
  });

  test('of the garbage collector is kept once, however often it is made', () => {
    const made = { ...attempt, user: { username: GARBAGE_COLLECTOR } };
    expect(withAttempt([made], { ...made, time: '2031-01-01T00:00:00Z' })).toBeUndefined();
  });

  test.each<[string, number, Partial<Attempt>, boolean]>([
    ['within a day it holds', 24 * 3_600_000 - 1, {}, false],
    ['after a day it has expired', 24 * 3_600_000, {}, true],
    ['without a time nobody knows when, so it has expired', 0, { time: '' }, true],
    ['of the garbage collector it never does', 1e12, { user: { username: GARBAGE_COLLECTOR } }, false],
  ])('%s', (_title, afterMs, change, expected) => {
    expect(isExpired({ ...attempt, ...change }, Date.parse(attempt.time) + afterMs)).toBe(expected);
  });

  test('is heeded by all who refused it, or vetoed', () => {
    const [wants, wantsNot] = [{ replayDeletion: true }, { replayDeletion: false }];
    expect(heededBy([], attempt)).toBe(attempt);
    expect(heededBy([wants, wants], attempt)).toBe(attempt);
    expect(heededBy([wants, wantsNot], attempt)).toEqual({ ...attempt, vetoed: true });
    const collected = { ...attempt, user: { username: GARBAGE_COLLECTOR } };
    expect(heededBy([wantsNot], collected)).toBe(collected);
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
