import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Authenticator } from './authenticator.ts';
import type { ExecPlugin } from './connection.ts';
import { aTransport, sendJson, startFakeServer } from './testing/fake-server.ts';

const signal = new AbortController().signal;
const VERSION = 'client.authentication.k8s.io/v1';
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'exec-'));
});
afterEach(() => rm(folder, { recursive: true }));

function aPlugin(script: string, changes: Partial<ExecPlugin> = {}): ExecPlugin {
  return {
    command: process.execPath,
    args: ['-e', script],
    env: {},
    apiVersion: VERSION,
    interactiveMode: 'Never',
    installHint: undefined,
    cluster: undefined,
    ...changes,
  };
}

const printing = (value: object): string => `console.log(${JSON.stringify(JSON.stringify(value))})`;
const credential = (status: object | undefined): object => ({
  apiVersion: VERSION,
  kind: 'ExecCredential',
  status,
});

/** Hands out t1, t2, … and keeps count in a file. */
function countingPlugin(extra = ''): ExecPlugin {
  const file = JSON.stringify(path.join(folder, 'count'));
  return aPlugin(`
    const fs = require('node:fs');
    fs.appendFileSync(${file}, 'x');
    const token = 't' + fs.readFileSync(${file}).length;
    console.log(JSON.stringify({ apiVersion: '${VERSION}', kind: 'ExecCredential', status: { token ${extra} } }));`);
}

const runs = async (): Promise<number> => (await readFile(path.join(folder, 'count'))).length;
const asking = (exec: ExecPlugin, now?: () => number): Authenticator =>
  new Authenticator({ user: { name: 'u', exec }, env: { PATH: process.env['PATH'] } }, now);

test('the plugin runs once for all who ask', async () => {
  const authenticator = asking(countingPlugin());
  const identities = await Promise.all([1, 2, 3].map(() => authenticator.identity(signal)));
  expect(identities.map(({ authorization }) => authorization)).toEqual([
    'Bearer t1',
    'Bearer t1',
    'Bearer t1',
  ]);
  expect(await runs()).toBe(1);
});

test('an expired credential is fetched again', async () => {
  let now = 0;
  const authenticator = asking(countingPlugin(`, expirationTimestamp: '1970-01-01T00:01:00Z'`), () => now);
  await authenticator.identity(signal);
  now = 59_000;
  expect((await authenticator.identity(signal)).authorization).toBe('Bearer t1');
  now = 61_000;
  expect((await authenticator.identity(signal)).authorization).toBe('Bearer t2');
});

test('a refused credential is renewed once', async () => {
  const server = await startFakeServer((request, answer) =>
    request.headers.authorization === 'Bearer t2'
      ? sendJson(answer, 200, { ok: 1 })
      : sendJson(answer, 401, {}),
  );
  const user = { name: 'u', exec: countingPlugin() };
  const transport = await aTransport(server.url, { user, env: { PATH: process.env['PATH'] } });
  const all = [1, 2, 3].map(() => transport.getJson('/x', {}, signal));
  await expect(Promise.all(all)).resolves.toHaveLength(3);
  expect(await runs()).toBe(2);
  await server.close();
});

test('the plugin is told about the cluster if it asked, and gets its own variables', async () => {
  const file = path.join(folder, 'info');
  const script = `
    require('node:fs').writeFileSync(${JSON.stringify(file)}, process.env.KUBERNETES_EXEC_INFO + process.env.MINE);
    ${printing(credential({ token: 't' }))}`;
  await asking(aPlugin(script, { env: { MINE: '!' }, cluster: { server: 'https://a' } })).identity(signal);
  const spec = { cluster: { server: 'https://a' }, interactive: false };
  expect(await readFile(file, 'utf8')).toBe(
    `${JSON.stringify({ kind: 'ExecCredential', apiVersion: VERSION, spec })}!`,
  );
});

test('a certificate of a plugin is used', async () => {
  const status = { clientCertificateData: 'C', clientKeyData: 'K' };
  const identity = await asking(aPlugin(printing(credential(status)))).identity(signal);
  expect(identity).toMatchObject({ authorization: undefined, certificate: 'C', key: 'K' });
});

test('a token file is read again after a minute', async () => {
  const tokenFile = path.join(folder, 'token');
  let now = 0;
  await writeFile(tokenFile, 'one\n');
  const authenticator = new Authenticator({ user: { name: 'u', tokenFile }, env: {} }, () => now);
  expect((await authenticator.identity(signal)).authorization).toBe('Bearer one');
  await writeFile(tokenFile, 'two\n');
  expect((await authenticator.identity(signal)).authorization).toBe('Bearer one');
  now = 60_001;
  expect((await authenticator.identity(signal)).authorization).toBe('Bearer two');
});

describe('failures', () => {
  const versions = `exec plugin is configured to use API version ${VERSION}, plugin returned version`;
  test.for([
    {
      name: 'no such program',
      plugin: aPlugin('', { command: 'no-such-plugin', installHint: 'get it\nfrom a shop' }),
      says: 'exec: executable no-such-plugin not found (get it from a shop)',
    },
    {
      name: 'an exit code',
      plugin: aPlugin('process.exit(3)'),
      says: `exec: executable ${process.execPath} failed with exit code 3`,
    },
    { name: 'text', plugin: aPlugin('console.log("hi")'), says: 'decoding stdout' },
    {
      name: 'another version',
      plugin: aPlugin(printing({ apiVersion: 'client.authentication.k8s.io/v1beta1' })),
      says: `${versions} client.authentication.k8s.io/v1beta1`,
    },
    {
      name: 'no status',
      plugin: aPlugin(printing(credential(undefined))),
      says: "didn't return a status field",
    },
    {
      name: 'an empty status',
      plugin: aPlugin(printing(credential({}))),
      says: "didn't return a token or cert/key pair",
    },
    {
      name: 'half a pair',
      plugin: aPlugin(printing(credential({ token: 't', clientKeyData: 'K' }))),
      says: 'returned only certificate or key, not both',
    },
  ])('$name is told in kubectl’s words', async ({ plugin, says }) => {
    const prefix = 'Unable to connect to the server: getting credentials: ';
    await expect(asking(plugin).identity(signal)).rejects.toThrow(prefix);
    await expect(asking(plugin).identity(signal)).rejects.toThrow(says);
  });
});
