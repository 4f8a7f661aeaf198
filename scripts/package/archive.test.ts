import { gunzipSync } from 'node:zlib';
import { parseTar } from 'nanotar';
import { expect, test, vi } from 'vitest';
import { archive } from './archive.ts';

const FILES = [
  { name: 'program', data: Buffer.from([0, 1, 2]), isExecutable: true },
  { name: 'LICENSE', data: 'text' },
];

test('an archive holds the files with their modes, and neither time nor owner', async () => {
  const found = parseTar(new Uint8Array(gunzipSync(await archive(FILES))));
  expect(
    found.map(({ name, attrs, type }) => [name, type, Number.parseInt(attrs?.mode ?? '', 8), attrs?.mtime]),
  ).toEqual([
    ['program', 'file', 0o755, 0],
    ['LICENSE', 'file', 0o644, 0],
  ]);
  expect(found[1]?.text).toBe('text');
});

test('the same files make the same archive, at any time', async () => {
  const first = await archive(FILES);
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
  const second = await archive(FILES).finally(() => vi.useRealTimers());
  expect(second.equals(first)).toBe(true);
});
