import { expect, test } from 'vitest';
import { SharedMark } from './shared-mark.ts';

const SIGNAL = new AbortController().signal;
const NAMESPACE = { group: '', kind: 'Namespace', name: 'n' };

test('a mark is wanted elsewhere when another member wants it, and not for what one wants oneself', async () => {
  const mark = new SharedMark();
  const first = mark.join(async () => true);
  const second = mark.join(async () => false);
  expect(await first(NAMESPACE, SIGNAL)).toBe(false);
  expect(await second(NAMESPACE, SIGNAL)).toBe(true);
});
