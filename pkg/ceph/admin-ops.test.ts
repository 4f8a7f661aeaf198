import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { cephSample, RELEASES } from '#test/fixtures/ceph.ts';
import { adminOps } from './admin-ops.ts';
import { CephRefused, CephSilent, CephUnreadable } from './runner.ts';

const KEY = { accessKey: 'A', secretKey: 'S' };
const { signal } = new AbortController();
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const buckets = async (answer: (response: ServerResponse) => void): Promise<readonly string[]> =>
  adminOps(Date.now, 300).buckets(await serve(answer), KEY, signal);

test.for(RELEASES)('the list of a gateway of Ceph %s is read', async (release) => {
  const { body } = cephSample(release, 'rgw-admin-bucket-all') as { body: string[] };
  expect(await buckets((response) => response.end(JSON.stringify(body)))).toEqual(body);
});

test.for([
  ...RELEASES.map((release) => ({ release, name: 'rgw-admin-bucket-badsecret' })),
  { release: '16.2', name: 'rgw-admin-bucket-nocaps' },
  { release: '20.2', name: 'rgw-admin-bucket-nocaps' },
] as const)('$name of Ceph $release is a refusal, and no empty list', async ({ release, name }) => {
  const { status, body } = cephSample(release, name) as { status: number; body: { Code: string } };
  const asked = buckets((response) => response.writeHead(status).end(JSON.stringify(body)));
  await expect(asked).rejects.toThrow(CephRefused);
  await expect(asked).rejects.toThrow(`answers 403 ${body.Code}`);
});

test('a gateway that does not answer is silence', async () => {
  await expect(buckets(() => undefined)).rejects.toThrow(CephSilent);
});

test('a port where nobody listens is silence', async () => {
  await expect(adminOps(Date.now).buckets('http://127.0.0.1:1', KEY, signal)).rejects.toThrow(
    /cannot be reached/,
  );
});

test.for(['', '{}', 'hello', '[1]'])('"%s" is not a list of buckets', async (body) => {
  await expect(buckets((response) => response.end(body))).rejects.toThrow(CephUnreadable);
});

test('a redirection is not followed', async () => {
  const asked = buckets((response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
  await expect(asked).rejects.toThrow(CephSilent);
});
