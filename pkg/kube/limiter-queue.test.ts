import { expect, test } from 'vitest';
import { Limiter } from './limiter.ts';

const never = new AbortController().signal;

test('a limiter lets its limit in, and the others in order', async () => {
  const limiter = new Limiter(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const task = (id: number) => () => {
    begun.push(id);
    return new Promise<void>((resolve) => (ends[id] = resolve));
  };
  const all = [0, 1, 2, 3].map((id) => limiter.run(task(id), never));
  await Promise.resolve();
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  await all[1];
  await Promise.resolve();
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.();
  await all[0];
  await Promise.resolve();
  ends[2]?.();
  ends[3]?.();
  await Promise.all(all);
  expect(begun).toEqual([0, 1, 2, 3]);
});

test('a task that fails gives its place back as well', async () => {
  const limiter = new Limiter(1);
  await expect(limiter.run(() => Promise.reject(new Error('no')), never)).rejects.toThrow('no');
  expect(await limiter.run(() => Promise.resolve(1), never)).toBe(1);
});

test('a task whose signal is aborted while it waits never begins, and its place is not lost', async () => {
  const limiter = new Limiter(1);
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = limiter.run(() => promise, never);
  const stop = new AbortController();
  const second = limiter.run(() => Promise.reject(new Error('began')), stop.signal);
  const third = limiter.run(() => Promise.resolve('third'), never);
  stop.abort(new Error('stopped'));
  await expect(second).rejects.toThrow('stopped');
  resolve();
  await first;
  expect(await third).toBe('third');
  expect(await limiter.run(() => Promise.resolve('next'), never)).toBe('next');
});
