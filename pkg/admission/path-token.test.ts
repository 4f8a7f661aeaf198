import { expect, test } from 'vitest';
import { hasToken, isToken, newToken, unlocked, withoutToken, withToken } from './path-token.ts';

const TOKEN = newToken();

test('is different each time, and may stand in the path of a webhook', () => {
  expect(newToken()).not.toBe(TOKEN);
  expect(TOKEN).toMatch(/^[0-9a-f]{64}$/);
  expect(isToken(TOKEN)).toBe(true);
});

test.for(['/delete', 'https://127.0.0.1:8443/delete'])('is put behind %s, and taken off again', (plain) => {
  expect(withToken(plain, TOKEN)).toBe(`${plain}/${TOKEN}`);
  expect(withToken(withToken(plain, newToken()), TOKEN)).toBe(`${plain}/${TOKEN}`);
  expect(withoutToken(withToken(plain, TOKEN))).toBe(plain);
  expect([hasToken(plain), hasToken(withToken(plain, TOKEN))]).toEqual([false, true]);
});

test.for([
  { name: 'the right one', path: `/delete/${TOKEN}`, unlocks: '/delete' },
  { name: 'none', path: '/delete', unlocks: undefined },
  { name: 'nothing behind the slash', path: '/delete/', unlocks: undefined },
  { name: 'another', path: `/delete/${newToken()}`, unlocks: undefined },
  { name: 'a part of it', path: `/delete/${TOKEN.slice(1)}`, unlocks: undefined },
  { name: 'more than it', path: `/delete/${TOKEN}0`, unlocks: undefined },
  { name: 'it in capitals', path: `/delete/${TOKEN.toUpperCase()}`, unlocks: undefined },
  { name: 'it in front', path: `/${TOKEN}/delete`, unlocks: undefined },
  { name: 'it alone', path: `/${TOKEN}`, unlocks: '' },
])('unlocks a path only if it is right: $name', ({ path, unlocks }) => {
  expect(unlocked(path, TOKEN)).toBe(unlocks);
});
