import { expect, test } from 'vitest';
import { Limiter } from './limiter.ts';

const signal = new AbortController().signal;

test('tasks start in turn, and a failed one makes room', async () => {
  const limiter = new Limiter(1);
  const started: number[] = [];
  const task = (n: number) => async (): Promise<number> => {
    started.push(n);
    await Promise.resolve();
    if (n === 1) throw new Error('first');
    return n;
  };
  const results = await Promise.allSettled([1, 2, 3].map((n) => limiter.run(task(n), signal)));
  expect(started).toEqual([1, 2, 3]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
});

test('who gives up while waiting leaves the line', async () => {
  const limiter = new Limiter(1);
  const controller = new AbortController();
  const first = Promise.withResolvers<string>();
  const running = limiter.run(() => first.promise, signal);
  const waiting = limiter.run(() => Promise.resolve('never'), controller.signal);
  const last = limiter.run(() => Promise.resolve('last'), signal);
  controller.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  first.resolve('first');
  await expect(Promise.all([running, last])).resolves.toEqual(['first', 'last']);
});
