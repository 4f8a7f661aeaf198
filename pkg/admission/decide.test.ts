import { expect, test } from 'vitest';
import { silentLogger } from '#pkg/log';
import { allow, type Answer } from './answer.ts';
import { decide, TimeIsUp } from './decide.ts';
import { Limiter } from '#pkg/kube';
import { parseReview } from './parse-review.ts';
import { aReview } from './testing/reviews.ts';

const request = parseReview(aReview());
const allowing = (): Promise<Answer> => Promise.resolve(allow());

test('a request that waits its turn in vain is refused, and the handler is not asked', async () => {
  const gate = new Limiter(1);
  const release = Promise.withResolvers<Answer>();
  const first = decide(() => release.promise, request, gate, silentLogger, new AbortController().signal);
  const time = new AbortController();
  let isAsked = false;
  const second = decide(
    () => {
      isAsked = true;
      return allowing();
    },
    request,
    gate,
    silentLogger,
    time.signal,
  );
  time.abort(new TimeIsUp(9_000));
  expect(await second).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('within 9 s') });
  release.resolve(allow());
  expect(await first).toEqual(allow());
  expect(isAsked).toBe(false);
});

test('a handler that ignores the end of its time loses its place, and what it throws later is nobody’s', async () => {
  const gate = new Limiter(1);
  const time = new AbortController();
  const late = Promise.withResolvers<Answer>();
  const first = decide(() => late.promise, request, gate, silentLogger, time.signal);
  time.abort(new TimeIsUp(1_000));
  expect(await first).toMatchObject({ kind: 'unavailable' });
  late.reject(new Error('too late'));
  expect(await decide(allowing, request, gate, silentLogger, new AbortController().signal)).toEqual(allow());
});

test('a handler that says what to answer in its place is taken at its word', async () => {
  const gate = new Limiter(1);
  const whenUnsure = allow({ warnings: ['nobody knows'] });
  const failing = Object.assign(() => Promise.reject(new Error('boom')), { whenUnsure });
  const never = Object.assign(() => new Promise<Answer>(() => undefined), { whenUnsure });
  const time = new AbortController();
  expect(await decide(failing, request, gate, silentLogger, time.signal)).toBe(whenUnsure);
  const late = decide(never, request, gate, silentLogger, time.signal);
  time.abort(new TimeIsUp(1_000));
  expect(await late).toBe(whenUnsure);
});
