import { expect, test } from 'vitest';
import { aPool } from '#test/fixtures/objects.ts';
import type { CephContents } from './contents.ts';
import { limitedCeph } from './limited.ts';

const SIGNAL = new AbortController().signal;

const endless: CephContents = {
  contentsOf: (_resource, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    }),
};

test('what Ceph does not tell in time is a gap', async () => {
  const { items, gaps } = await limitedCeph(endless, 10).contentsOf(aPool('p'), SIGNAL);
  expect(items).toEqual([]);
  expect(gaps).toEqual([
    {
      what: 'RBD images, snapshots and objects in pool p',
      reason: 'Ceph had no answer within 0.01 s',
    },
  ]);
});

test('whoever stops waiting hears nothing', async () => {
  const stop = new AbortController();
  const asked = limitedCeph(endless, 10_000).contentsOf(aPool('p'), stop.signal);
  stop.abort(new Error('gone'));
  await expect(asked).rejects.toThrow('gone');
});

test('what fails for another reason fails', async () => {
  const broken = { contentsOf: () => Promise.reject(new Error('a bug')) };
  await expect(limitedCeph(broken, 10_000).contentsOf(aPool('p'), SIGNAL)).rejects.toThrow('a bug');
});
