import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { silentLogger } from '#pkg/log';
import { gate } from './health.ts';
import { healthServer, type HealthServerOptions } from './health-server.ts';

const HOST = '127.0.0.1';
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function serve(options: Partial<HealthServerOptions> = {}) {
  const exposition = async () => ({ contentType: 'text/plain; version=0.0.4', text: 'up 1\n' });
  const base = { host: HOST, port: 0, live: [], ready: [], exposition, logger: silentLogger };
  const server = healthServer({ ...base, ...options });
  const stop = new AbortController();
  const run = server.run(stop.signal);
  stops.push(async () => {
    stop.abort();
    await run;
  });
  return { port: await server.port, stop, run };
}

async function ask(port: number, path: string, method = 'GET') {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    type: string;
    body: string;
  }>();
  request({ host: HOST, port, path, method, agent: false }, (answer) => {
    const { statusCode: status = 0, headers } = answer;
    text(answer).then((body) => resolve({ status, type: headers['content-type'] ?? '', body }), reject);
  })
    .once('error', reject)
    .end();
  return promise;
}

describe('healthServer', () => {
  test.for([
    { path: '/healthz', method: 'GET', status: 200, body: 'ok\n' },
    { path: '/readyz?verbose', method: 'GET', status: 200, body: 'ok\n' },
    { path: '/metrics', method: 'GET', status: 200, body: 'up 1\n' },
    { path: '/healthz', method: 'HEAD', status: 200, body: '' },
    { path: '/', method: 'GET', status: 404, body: 'not found\n' },
    { path: '/healthz', method: 'POST', status: 405, body: 'only GET and HEAD\n' },
  ])('answers $method $path with $status', async ({ path, method, status, body }) => {
    const { port } = await serve();
    expect(await ask(port, path, method)).toMatchObject({ status, body });
  });

  test('names what is not ready, and is alive nevertheless', async () => {
    const open = gate('shutdown', 'stopping');
    const broken = {
      name: 'certificate',
      problem: () => {
        throw new Error('unreadable');
      },
    };
    const cache = { name: 'cache', problem: () => 'waiting for pods' };
    const { port } = await serve({ ready: [open, cache, broken] });
    expect(await ask(port, '/readyz')).toMatchObject({
      status: 503,
      body: 'cache: waiting for pods\ncertificate: unreadable\n',
    });
    open.close();
    expect((await ask(port, '/readyz')).body).toContain('shutdown: stopping\n');
    expect((await ask(port, '/healthz')).status).toBe(200);
  });

  test('passes on the content type of the metrics, and answers 500 when they fail', async () => {
    const { port } = await serve();
    expect((await ask(port, '/metrics')).type).toBe('text/plain; version=0.0.4');
    const failing = await serve({ exposition: () => Promise.reject(new Error('broken')) });
    expect((await ask(failing.port, '/metrics')).status).toBe(500);
  });

  test('fails when the port is taken', async () => {
    const { port } = await serve();
    const second = healthServer({
      host: HOST,
      port,
      live: [],
      ready: [],
      exposition: () => Promise.reject(new Error('unused')),
      logger: silentLogger,
    });
    await expect(second.run(new AbortController().signal)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await expect(second.port).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('ends when told to, although a client keeps its connection open', async () => {
    const { port, stop, run } = await serve();
    const idle = request({ host: HOST, port, path: '/healthz', headers: { connection: 'keep-alive' } });
    idle.on('error', () => undefined);
    idle.flushHeaders(); // begins a request that it never ends
    await new Promise((resolve) => idle.once('socket', (socket) => socket.once('connect', resolve)));
    stop.abort();
    await run;
    await expect(ask(port, '/healthz')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
