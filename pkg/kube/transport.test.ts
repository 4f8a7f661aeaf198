import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import {
  aTransport,
  sendJson,
  startFakeServer,
  type FakeServer,
  type Handler,
} from './testing/fake-server.ts';

const signal = new AbortController().signal;
const servers: FakeServer[] = [];

async function serve(handler: Handler): Promise<FakeServer> {
  const server = await startFakeServer(handler);
  servers.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const failure = (promise: Promise<unknown>): Promise<ApiError> =>
  promise.then(
    () => expect.unreachable('nothing was thrown'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(ApiError);
      return error as ApiError;
    },
  );

describe('what is sent', () => {
  test('all of an impersonation travels in headers', async () => {
    const server = await serve((_, answer) => sendJson(answer, 200, {}));
    const impersonation = {
      user: 'böb',
      uid: 'u1',
      groups: ['g1', 'g2'],
      extra: { 'example.com/Reason%': ['a', 'b=c'] },
    };
    const transport = await aTransport(server.url, { impersonation });
    await transport.request({ method: 'POST', path: '/x', body: '{}' }, signal);
    const sent = server.requests[0]?.headersDistinct;
    expect(Buffer.from(sent?.['impersonate-user']?.[0] ?? '', 'latin1').toString()).toBe('böb');
    expect(sent?.['impersonate-uid']).toEqual(['u1']);
    expect(sent?.['impersonate-group']).toEqual(['g1', 'g2']);
    expect(sent?.['impersonate-extra-example.com%2freason%25']).toEqual(['a', 'b=c']);
  });

  test.for([
    { name: 'a token', user: { token: 't' }, authorization: 'Bearer t' },
    { name: 'a password', user: { username: 'u', password: 'p' }, authorization: 'Basic dTpw' },
    { name: 'nothing', user: {}, authorization: undefined },
  ])('$name identifies the user', async ({ user, authorization }) => {
    const server = await serve((_, answer) => sendJson(answer, 200, {}));
    const transport = await aTransport(server.url, { user: { name: 'u', ...user } });
    await transport.getJson('/x', {}, signal);
    expect(server.requests[0]?.headers.authorization).toBe(authorization);
  });

  test('paths keep the prefix of the server, and queries are encoded', async () => {
    const server = await serve((_, answer) => sendJson(answer, 200, {}));
    const transport = await aTransport(`${server.url}/k8s/c1`);
    await transport.getJson(
      '/api/v1/pods',
      { query: { labelSelector: 'a=b,c', limit: 5, none: undefined } },
      signal,
    );
    expect(server.requests[0]?.url).toBe('/k8s/c1/api/v1/pods?labelSelector=a%3Db%2Cc&limit=5');
  });
});

describe('connections', () => {
  test('twenty requests in turn share one connection', async () => {
    const server = await serve((_, answer) => sendJson(answer, 200, {}));
    const transport = await aTransport(server.url);
    for (let i = 0; i < 20; i += 1) await transport.getJson('/x', {}, signal);
    expect(server.connections).toBe(1);
    expect(transport.requestCount).toBe(20);
  });

  test('no more than eight requests are under way at a time', async () => {
    let open = 0;
    let most = 0;
    const waiting: (() => void)[] = [];
    const server = await serve((_, answer) => {
      open += 1;
      most = Math.max(most, open);
      waiting.push(() => {
        open -= 1;
        sendJson(answer, 200, {});
      });
      // Nobody is answered before the house is full, or all that are left are in.
      if (waiting.length === 8 || server.requests.length === 20)
        for (const finish of waiting.splice(0)) finish();
    });
    const transport = await aTransport(server.url);
    await Promise.all(Array.from({ length: 20 }, () => transport.getJson('/x', {}, signal)));
    expect(most).toBe(8);
    expect(server.connections).toBeLessThanOrEqual(8);
  });

  test('a read on a kept connection that the server has dropped is sent again', async () => {
    const server = await serve((request, answer) => {
      if (server.requests.length === 2) request.socket.destroy();
      else sendJson(answer, 200, { n: server.requests.length });
    });
    const transport = await aTransport(server.url);
    await transport.getJson('/x', {}, signal);
    await expect(transport.getJson('/x', {}, signal)).resolves.toEqual({ n: 3 });
  });

  test('a write on a dropped connection is not sent again', async () => {
    const server = await serve((request, answer) => {
      if (server.requests.length === 2) request.socket.destroy();
      else sendJson(answer, 200, {});
    });
    const transport = await aTransport(server.url);
    await transport.getJson('/x', {}, signal);
    const error = await failure(transport.request({ method: 'POST', path: '/x', body: '{}' }, signal));
    expect(error.isUnreachable).toBe(true);
    expect(server.requests).toHaveLength(2);
  });
});

describe('answers', () => {
  test('a zipped answer is unzipped, also where characters are cut in two', async () => {
    const text = 'ä€𝄞'.repeat(200_000);
    const server = await serve((_, answer) =>
      answer.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify({ text }))),
    );
    const transport = await aTransport(server.url);
    await expect(transport.getJson('/x', {}, signal)).resolves.toEqual({ text });
    expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip');
  });

  test('compression is not asked for when it is switched off', async () => {
    const server = await serve((_, answer) => sendJson(answer, 200, {}));
    const transport = await aTransport(server.url, { disableCompression: true });
    await transport.getJson('/x', {}, signal);
    expect(server.requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  test('each warning is passed on once', async () => {
    const server = await serve((_, answer) => {
      answer.setHeader('Warning', ['299 - "old \\"thing\\", gone soon"', '299 - "b", 199 - "not for users"']);
      sendJson(answer, 200, {});
    });
    const warnings: string[] = [];
    const transport = await aTransport(server.url, {}, { onWarning: (text) => warnings.push(text) });
    await transport.getJson('/x', {}, signal);
    await transport.getJson('/x', {}, signal);
    expect(warnings).toEqual(['old "thing", gone soon', 'b']);
  });

  test.for([
    { name: 'text', body: '<html>', says: "error: invalid character '<' looking for beginning of value" },
    { name: 'nothing', body: '', says: 'error: unexpected end of JSON input' },
    { name: 'half of it', body: '{"a": [1,', says: 'error: unexpected end of JSON input' },
  ])('$name instead of JSON is an error', async ({ body, says }) => {
    const server = await serve((_, answer) => answer.end(body));
    const transport = await aTransport(server.url);
    expect(await failure(transport.getJson('/x', {}, signal))).toMatchObject({ message: says, status: 200 });
  });

  test.for([{ zipped: false }, { zipped: true }])(
    'a body cut short is an error (zipped: $zipped)',
    async ({ zipped }) => {
      const whole = Buffer.from(JSON.stringify({ text: 'x'.repeat(5000) + Math.PI }));
      const sent = zipped ? gzipSync(whole) : whole;
      const server = await serve((_, answer) => {
        answer.writeHead(200, {
          'content-length': sent.length,
          ...(zipped && { 'content-encoding': 'gzip' }),
        });
        answer.write(sent.subarray(0, sent.length - 10), () => answer.destroy());
      });
      const transport = await aTransport(server.url);
      const error = await failure(transport.getJson('/x', {}, signal));
      expect(error.message).toBe(
        'error: unexpected error when reading response body. Please retry. Original error: unexpected EOF',
      );
      expect(error.isUnreachable).toBe(false);
    },
  );
});

describe('trying again', () => {
  test('a read waits as long as a busy server asks', async () => {
    const server = await serve((_, answer) => {
      if (server.requests.length < 3) answer.writeHead(429, { 'retry-after': '2' }).end('slow down');
      else sendJson(answer, 200, { ok: true });
    });
    const waits: number[] = [];
    const sleep = async (ms: number): Promise<void> => void waits.push(ms);
    const transport = await aTransport(server.url, {}, { sleep });
    await expect(transport.getJson('/x', {}, signal)).resolves.toEqual({ ok: true });
    expect(waits).toEqual([2000, 2000]);
  });

  test('a server that stays busy is given up on', async () => {
    const server = await serve((_, answer) => answer.writeHead(503, { 'retry-after': '3600' }).end());
    const waits: number[] = [];
    const sleep = async (ms: number): Promise<void> => void waits.push(ms);
    const transport = await aTransport(server.url, {}, { sleep });
    expect(await failure(transport.getJson('/x', {}, signal))).toMatchObject({
      reason: 'ServiceUnavailable',
    });
    expect(waits).toEqual([5000, 5000, 5000]);
  });

  test('writes are not repeated, nor reads that were not asked to', async () => {
    const server = await serve((_, answer) => answer.writeHead(429).end());
    const transport = await aTransport(server.url);
    await transport.request({ method: 'GET', path: '/x' }, signal);
    await transport.request({ method: 'DELETE', path: '/x' }, signal);
    expect(server.requests).toHaveLength(2);
  });
});

describe('no answer', () => {
  test('a slow server runs into the request timeout', async () => {
    const server = await serve(() => undefined);
    const transport = await aTransport(server.url, { requestTimeoutMs: 20 });
    expect((await failure(transport.getJson('/x', {}, signal))).message).toBe(
      'Unable to connect to the server: net/http: request canceled (Client.Timeout exceeded while awaiting headers)',
    );
  });

  test('an answer that does not end runs into the request timeout', async () => {
    const server = await serve((_, answer) => void answer.writeHead(200).write('{'));
    const transport = await aTransport(server.url, { requestTimeoutMs: 1000 });
    expect((await failure(transport.getJson('/x', {}, signal))).message).toContain(
      'context deadline exceeded',
    );
  });

  test('an abort is thrown as it is', async () => {
    const controller = new AbortController();
    const server = await serve(() => controller.abort(new Error('enough')));
    const transport = await aTransport(server.url);
    await expect(transport.getJson('/x', {}, controller.signal)).rejects.toThrow('enough');
  });

  test('a closed port is named', async () => {
    const server = await serve(() => undefined);
    await server.close();
    const transport = await aTransport(server.url);
    const error = await failure(transport.getJson('/x', {}, signal));
    expect(error.message).toBe(
      `The connection to the server ${new URL(server.url).host} was refused - did you specify the right host or port?`,
    );
    expect(error.isUnreachable).toBe(true);
  });

  test('a plain-text server is recognised behind https', async () => {
    const server = await serve((_, answer) => answer.end());
    const transport = await aTransport(server.url.replace('http:', 'https:'), {
      tls: { ca: undefined, insecure: true, serverName: undefined },
    });
    expect((await failure(transport.getJson('/x', {}, signal))).message).toBe(
      'Unable to connect to the server: http: server gave HTTP response to HTTPS client',
    );
  });

  test('a server that hangs up is an EOF', async () => {
    const tcp = createTcpServer((socket) => socket.once('data', () => socket.end()));
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
    const transport = await aTransport(`http://127.0.0.1:${(tcp.address() as AddressInfo).port}`);
    const error = await failure(transport.getJson('/x', {}, signal));
    expect(error.message).toBe('Unable to connect to the server: EOF');
    tcp.close();
  });
});
