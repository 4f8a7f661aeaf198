import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { recordAt } from '#pkg/object';
import { bundleConfigMap, bundleName, bundleOf, CONFIG_MAP_BYTES } from './bundle.ts';

test('what the ConfigMap holds runs, with its arguments and its own file name', async () => {
  const script = `console.log(JSON.stringify([process.argv.slice(2), require('node:path').basename(__filename)]))`;
  const map = bundleConfigMap(bundleOf(gzipSync(script)), 'n');
  const folder = await mkdtemp(join(tmpdir(), 'bundle-'));
  try {
    for (const [name, text] of Object.entries(recordAt(map, 'data')))
      await writeFile(join(folder, name), String(text));
    for (const [name, text] of Object.entries(recordAt(map, 'binaryData')))
      await writeFile(join(folder, name), Buffer.from(String(text), 'base64'));
    const args = [join(folder, 'start.cjs'), 'controller', '--webhook-port=1'];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(JSON.parse(stdout)).toEqual([['controller', '--webhook-port=1'], 'rook-deps.cjs']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('another content has another name, the same has the same', () => {
  const name = (text: string): string => bundleName(bundleOf(Buffer.from(text)));
  expect(name('a')).toBe(name('a'));
  expect(name('a')).not.toBe(name('b'));
});

test('what does not fit is refused before it is sent', () => {
  expect(() => bundleConfigMap(bundleOf(Buffer.alloc(CONFIG_MAP_BYTES)), 'n')).toThrow(
    'cannot put a bundle of',
  );
});
