import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import { podExec, type ExecResult } from './pod-exec.ts';
import { aTransport } from './testing/fake-server.ts';

const TARGET = { namespace: 'rook-ceph', pod: 'op', container: 'rook-ceph-operator' };
const SUCCESS = { kind: 'Status', status: 'Success', metadata: {} };

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

type Talk = (socket: Duplex, request: IncomingMessage) => void;

/** A server that takes a WebSocket and then does what the test says; an HTTP answer where there is none to take. */
async function serve(talk: Talk | { readonly status: number; readonly body: object }): Promise<string> {
  const server = createServer((_request, answer) => {
    if (typeof talk !== 'function') answer.writeHead(talk.status).end(JSON.stringify(talk.body));
  });
  if (typeof talk === 'function') {
    server.on('upgrade', (request, socket) => {
      const proof = createHash('sha1')
        .update(`${request.headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
        .digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
          `Sec-WebSocket-Accept: ${proof}\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\n`,
      );
      socket.on('error', () => undefined);
      talk(socket, request);
    });
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function message(channel: number, text: string): Buffer {
  const data = Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
  const size = data.length < 126 ? [data.length] : [126, data.length >> 8, data.length & 0xff];
  return Buffer.concat([Buffer.from([0x82, ...size]), data]);
}

const CLOSE = Buffer.from([0x88, 0]);

async function exec(url: string, signal: AbortSignal = new AbortController().signal): Promise<ExecResult> {
  return podExec(await aTransport(url)).exec(TARGET, ['ceph', 'status', '--format', 'json'], signal);
}

describe('a program in a pod', () => {
  test('is asked for as the API has it, argument by argument', async () => {
    const seen: IncomingMessage[] = [];
    const url = await serve((socket, request) => {
      seen.push(request);
      socket.end(Buffer.concat([message(3, JSON.stringify(SUCCESS)), CLOSE]));
    });
    await exec(url);
    expect(seen[0]?.url).toBe(
      '/api/v1/namespaces/rook-ceph/pods/op/exec?container=rook-ceph-operator&command=ceph&command=status' +
        '&command=--format&command=json&stdout=true&stderr=true',
    );
    expect(seen[0]?.headers['sec-websocket-protocol']).toBe('v5.channel.k8s.io, v4.channel.k8s.io');
    // A kubelet answers 406 to whoever wants JSON.
    expect(seen[0]?.headers.accept).toBe('*/*');
  });

  test('gives its output, stream by stream, and its success', async () => {
    const url = await serve((socket) => {
      socket.write(Buffer.concat([message(1, '{"a":'), message(2, 'warning'), message(1, '1}')]));
      socket.end(Buffer.concat([message(3, JSON.stringify(SUCCESS)), CLOSE]));
    });
    expect(await exec(url)).toEqual({ code: 0, stdout: '{"a":1}', stderr: 'warning' });
  });

  test('gives its exit code', async () => {
    const status = {
      status: 'Failure',
      reason: 'NonZeroExitCode',
      message: 'command terminated with non-zero exit code',
      details: { causes: [{ reason: 'ExitCode', message: '22' }] },
    };
    const url = await serve((socket) =>
      socket.end(Buffer.concat([message(3, JSON.stringify(status)), CLOSE])),
    );
    expect(await exec(url)).toEqual({ code: 22, stdout: '', stderr: '' });
  });

  test('that could not be started is a failure, and no exit code', async () => {
    const status = { status: 'Failure', reason: 'InternalError', message: 'container not found', code: 500 };
    const url = await serve((socket) =>
      socket.end(Buffer.concat([message(3, JSON.stringify(status)), CLOSE])),
    );
    await expect(exec(url)).rejects.toThrow('cannot run a program in the pod: container not found');
  });

  test('whose end is not told is a failure, although output came', async () => {
    const url = await serve((socket) => socket.end(Buffer.concat([message(1, '[]'), CLOSE])));
    await expect(exec(url)).rejects.toThrow('the connection to the pod ended before the program');
  });

  test('whose connection breaks is a failure', async () => {
    const url = await serve((socket) => {
      socket.write(message(1, '['));
      setTimeout(() => socket.destroy(), 20);
    });
    await expect(exec(url)).rejects.toThrow(ApiError);
  });

  test('that hangs is left when the signal says so', async () => {
    const stop = new AbortController();
    const url = await serve(() => setTimeout(() => stop.abort(new Error('enough')), 20));
    await expect(exec(url, stop.signal)).rejects.toThrow('enough');
  });

  test('keeps the connection alive: a ping is answered with its own words', async () => {
    const answered = Promise.withResolvers<Buffer>();
    const url = await serve((socket) => {
      socket.once('data', (data: Buffer) => {
        answered.resolve(data);
        socket.end(Buffer.concat([message(3, JSON.stringify(SUCCESS)), CLOSE]));
      });
      socket.write(Buffer.from([0x89, 2, 0x68, 0x69]));
    });
    await exec(url);
    const pong = await answered.promise;
    const mask = pong.subarray(2, 6);
    expect(pong[0]).toBe(0x8a);
    expect(Buffer.from(pong.subarray(6).map((byte, at) => byte ^ (mask[at] ?? 0))).toString()).toBe('hi');
  });

  test('that may not be run says what the API server says', async () => {
    const body = {
      kind: 'Status',
      status: 'Failure',
      reason: 'Forbidden',
      message: 'pods "op" is forbidden',
      code: 403,
    };
    const url = await serve({ status: 403, body });
    await expect(exec(url)).rejects.toMatchObject({ status: 403 });
  });
});

test('a server that takes the upgrade without speaking WebSocket is not believed', async () => {
  const server = createServer();
  server.on('upgrade', (_request, socket) => {
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  await expect(exec(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).rejects.toThrow(
    'does not speak WebSocket',
  );
});
