import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('one acts on a key after the other, even after a failure; other keys do not wait', async () => {
  const turns = new Turns<string>();
  const seen: string[] = [];
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const first = turns.take('a', async () => {
    await opened;
    seen.push('first');
    throw new Error('no luck');
  });
  const second = turns.take('a', async () => {
    seen.push('second');
    return 2;
  });
  await turns.take('b', async () => void seen.push('other'));
  open();
  await expect(first).rejects.toThrow('no luck');
  await expect(second).resolves.toBe(2);
  expect(seen).toEqual(['other', 'first', 'second']);
});
