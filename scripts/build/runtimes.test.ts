import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { createTar } from 'nanotar';
import { expect, test } from 'vitest';
import { filesOf, lockedPin } from './runtimes.ts';

const archive = gzipSync(
  createTar([
    { name: 'package/bin/node', data: 'program' },
    { name: 'package/LICENSE', data: 'terms' },
    { name: 'package/include/node/node.h', data: 'header' },
    { name: 'package/../../bin/node', data: 'trap' },
  ]),
);
const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
const pin = { package: 'node-x', version: '1.0.0', integrity };

test('of a package, the program and its licence are taken', () => {
  expect(filesOf(archive, pin).map(({ name, data }) => [name, Buffer.from(data).toString()])).toEqual([
    ['bin/node', 'program'],
    ['LICENSE', 'terms'],
  ]);
});

test('a package with another hash is not trusted', () => {
  const changed = Buffer.concat([archive, Buffer.from('x')]);
  expect(() => filesOf(changed, pin)).toThrow('cannot trust node-x@1.0.0');
});

test('a pin is what the lockfile says, or nothing', () => {
  const lockfile = JSON.stringify({ packages: { 'node_modules/node-x': { version: '1.0.0', integrity } } });
  expect(lockedPin(lockfile, 'node-x')).toEqual(pin);
  expect(() => lockedPin(lockfile, 'node-y')).toThrow('cannot find node-y');
  const unhashed = JSON.stringify({ packages: { 'node_modules/node-x': { version: '1.0.0' } } });
  expect(() => lockedPin(unhashed, 'node-x')).toThrow('integrity');
});
