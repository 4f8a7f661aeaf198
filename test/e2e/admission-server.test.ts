import { Agent } from 'node:https';
import { afterEach, describe, expect, test } from 'vitest';
import { jsonLogger } from '#pkg/log';
import { fieldAt } from '#pkg/object';
import { allow, conflict, type Answer } from '../../pkg/admission/answer.ts';
import type { AdmissionHandler } from '../../pkg/admission/handler.ts';
import type { Decision } from '../../pkg/admission/metrics.ts';
import { aServing } from '../../pkg/admission/testing/certificates.ts';
import { ManualClock } from '../../pkg/admission/testing/manual-clock.ts';
import { aReview } from '../../pkg/admission/testing/reviews.ts';
import {
  post,
  rawConnection,
  startWebhook,
  untilClosed,
  type HttpAnswer,
  type Webhook,
  type WebhookOptions,
} from '../../pkg/admission/testing/webhook.ts';

const started: Webhook[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((webhook) => webhook.stop()));
});

async function serving(handler: AdmissionHandler, options: WebhookOptions = {}): Promise<Webhook> {
  const webhook = await startWebhook({ handlers: { '/delete': handler }, ...options });
  started.push(webhook);
  return webhook;
}

const allowing = (): Promise<Answer> => Promise.resolve(allow());

function responseOf({ body }: HttpAnswer): unknown {
  return fieldAt(JSON.parse(body), 'response');
}

/** Says that the server is as well as before. */
async function expectAlive(webhook: Webhook): Promise<void> {
  const answer = await post(webhook, aReview({ uid: 'still-alive' }));
  expect([answer.status, responseOf(answer)]).toEqual([200, { uid: 'still-alive', allowed: true }]);
}

function headFor({ token }: Webhook): string {
  return `POST /delete/${token} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`;
}

describe('a decision', () => {
  test('goes back as a review under the UID of the request', async () => {
    const webhook = await serving(({ name }) =>
      Promise.resolve(conflict(`${name} is in use`, [{ reason: 'RD001', message: 'm' }])),
    );
    const answer = await post(webhook, aReview());
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    const status = { code: 409, reason: 'Conflict', message: 'settings is in use' };
    expect(responseOf(answer)).toMatchObject({ uid: 'review-1', allowed: false, status });
  });

  test('is made by the handler of the path', async () => {
    const handlers = { '/a': allowing, '/b': () => Promise.resolve(conflict('b', [])) };
    const webhook = await startWebhook({ handlers });
    started.push(webhook);
    expect(responseOf(await post(webhook, aReview(), { path: '/a?timeout=5s' }))).toMatchObject({
      allowed: true,
    });
    expect(responseOf(await post(webhook, aReview(), { path: '/b' }))).toMatchObject({ allowed: false });
  });

  test('is logged on one line and counted', async () => {
    const lines: string[] = [];
    const decisions: Decision[] = [];
    const logger = jsonLogger((line) => lines.push(line), Date.now, { debug: true });
    const metrics = {
      decided: (decision: Decision) => decisions.push(decision),
      turnedAway: () => undefined,
    };
    const webhook = await serving(allowing, { logger, metrics, clock: new ManualClock() });
    await post(webhook, aReview());
    await post(webhook, aReview(), { path: '/other' });
    expect(lines.join()).not.toContain(webhook.token);
    lines.pop();
    const what = { path: '/delete', operation: 'DELETE', dryRun: false, verdict: 'allow', durationMs: 0 };
    const line = {
      ...what,
      requestId: 'review-1',
      object: '/ConfigMap/shop/settings',
      user: 'alice',
      code: 200,
    };
    expect(lines.map((text): unknown => JSON.parse(text))).toEqual([expect.objectContaining(line)]);
    expect(decisions).toEqual([{ ...what, kind: { group: '', kind: 'ConfigMap' } }]);
  });

  test.for<{ name: string; handler: AdmissionHandler }>([
    { name: 'rejects', handler: () => Promise.reject(new Error('the cache broke')) },
    {
      name: 'throws',
      handler: () => {
        throw new Error('the cache broke');
      },
    },
  ])('is a refusal with 500 when the handler $name', async ({ handler }) => {
    const lines: string[] = [];
    const logger = jsonLogger((line) => lines.push(line), Date.now, { debug: true });
    const webhook = await serving(handler, { logger });
    const answer = await post(webhook, aReview());
    expect(answer.status).toBe(200);
    const message = 'cannot decide on this request (review-1): the cache broke';
    expect(responseOf(answer)).toMatchObject({
      allowed: false,
      status: { code: 500, reason: 'InternalError', message },
    });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'error',
      requestId: 'review-1',
      err: 'the cache broke',
    });
  });

  test('that is nothing at all is a failure, not an allowance', async () => {
    const webhook = await serving(() => Promise.resolve(undefined as unknown as Answer));
    expect((await post(webhook, aReview())).status).toBe(500);
    await post(webhook, aReview());
  });

  test('is a refusal before the API server gives up', async () => {
    const clock = new ManualClock();
    const begun = Promise.withResolvers<AbortSignal>();
    const webhook = await serving(
      (_, signal) => {
        begun.resolve(signal);
        return new Promise(() => undefined);
      },
      { clock },
    );
    const answering = post(webhook, aReview(), { path: '/delete?timeout=3s' });
    const signal = await begun.promise;
    clock.advance(2_399);
    expect(signal.aborted).toBe(false);
    clock.advance(1);
    const message = 'could not find out within 2.4 s whether this is safe, so it is refused; try again';
    expect(responseOf(await answering)).toMatchObject({ allowed: false, status: { code: 503, message } });
    expect(signal.aborted).toBe(true);
  });

  test('is called off when the client goes away', async () => {
    const begun = Promise.withResolvers<AbortSignal>();
    const webhook = await serving(({ uid }, signal) => {
      if (uid === 'still-alive') return allowing();
      begun.resolve(signal);
      return new Promise(() => undefined);
    });
    const leaving = new AbortController();
    const answering = post(webhook, aReview(), { signal: leaving.signal });
    const signal = await begun.promise;
    const calledOff = new Promise((resolve) => signal.addEventListener('abort', resolve));
    leaving.abort();
    await expect(answering).rejects.toThrow('aborted');
    await calledOff;
    await expectAlive(webhook);
  });
});

describe('what is no review', () => {
  test.for<{ name: string; body: unknown; options?: Parameters<typeof post>[2]; status: number }>([
    { name: 'another path', body: aReview(), options: { path: '/other' }, status: 404 },
    { name: 'a path with more', body: aReview(), options: { path: '/delete/more' }, status: 404 },
    { name: 'no token', body: aReview(), options: { knowsToken: false }, status: 404 },
    {
      name: 'a wrong token',
      body: aReview(),
      options: { path: `/delete/${'0'.repeat(64)}`, knowsToken: false },
      status: 404,
    },
    { name: 'a GET', body: '', options: { method: 'GET' }, status: 405 },
    {
      name: 'another type',
      body: aReview(),
      options: { headers: { 'content-type': 'text/plain' } },
      status: 415,
    },
    { name: 'nothing', body: '', status: 400 },
    { name: 'half of it', body: JSON.stringify(aReview()).slice(0, 100), status: 400 },
    { name: 'bytes that are not UTF-8', body: Buffer.from([0x22, 0xff, 0xfe, 0x22]), status: 400 },
    { name: 'JSON of something else', body: '[1]', status: 400 },
    { name: 'deep nesting', body: '['.repeat(200_000), status: 400 },
  ])('is turned away: $name', async ({ body, options, status }) => {
    const turnedAway: number[] = [];
    const metrics = { decided: () => undefined, turnedAway: (code: number) => turnedAway.push(code) };
    const webhook = await serving(allowing, { metrics });
    expect((await post(webhook, body, options)).status).toBe(status);
    expect(turnedAway).toEqual([status]);
    await expectAlive(webhook);
  });

  test('is whatever comes before the server knows how it is called', async () => {
    const webhook = await serving(allowing, { isTold: false });
    for (const knowsToken of [true, false])
      expect((await post(webhook, aReview(), { knowsToken })).status).toBe(404);
    webhook.server.useToken(undefined);
    expect((await post(webhook, aReview(), { knowsToken: false })).status).toBe(200);
    webhook.server.useToken(webhook.token);
    expect((await post(webhook, aReview(), { knowsToken: false })).status).toBe(404);
    await expectAlive(webhook);
  });

  test('is refused under its UID when that could be read', async () => {
    const webhook = await serving(allowing);
    const answer = await post(webhook, aReview({ operation: 'EAT' }));
    expect(answer.status).toBe(200);
    expect(responseOf(answer)).toMatchObject({ uid: 'review-1', allowed: false, status: { code: 400 } });
  });
});

describe('a body', () => {
  const limits = { bodyBytes: 10_000, memoryBytes: 15_000 };

  test.for([
    { name: 'announced', headers: {} },
    { name: 'in chunks', headers: { 'transfer-encoding': 'chunked' } },
  ])('that is too large is answered with 413: $name', async ({ headers }) => {
    const webhook = await serving(allowing, { limits });
    expect((await post(webhook, 'x'.repeat(500_000), { headers })).status).toBe(413);
    await expectAlive(webhook);
  });

  test('of any size that fits is taken, and its memory is given back', async () => {
    const webhook = await serving(allowing, { limits });
    const padding = 'x'.repeat(9_000);
    for (let round = 0; round < 5; round += 1) {
      expect((await post(webhook, aReview({ padding }))).status).toBe(200);
    }
  });

  test('beyond the memory of all is answered with 503', async () => {
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<Answer>();
    const webhook = await serving(
      ({ uid }) => {
        begun.resolve();
        return uid === 'still-alive' ? allowing() : release.promise;
      },
      { limits },
    );
    const first = post(webhook, aReview({ padding: 'x'.repeat(9_000) }));
    await begun.promise;
    expect((await post(webhook, aReview({ padding: 'x'.repeat(9_000) }))).status).toBe(503);
    release.resolve(allow());
    expect((await first).status).toBe(200);
    await expectAlive(webhook);
  });

  test('that does not come in time is answered with 408', async () => {
    const clock = new ManualClock();
    const webhook = await serving(allowing, { clock });
    const socket = await rawConnection(webhook);
    const asleep = clock.nextSleep();
    socket.write(`${headFor(webhook)}connection: close\r\ncontent-length: 100\r\n\r\n{"kind"`);
    await asleep;
    clock.advance(10_000);
    expect(await untilClosed(socket)).toMatch(/^HTTP\/1\.1 408 /);
    await expectAlive(webhook);
  });

  test.for([
    { name: 'with a length', start: 'content-length: 100\r\n\r\n{"kind"' },
    { name: 'in chunks', start: 'transfer-encoding: chunked\r\n\r\n7\r\n{"kind"\r\n' },
  ])('that is cut off by the end of the connection never reaches a handler: $name', async ({ start }) => {
    const asked: string[] = [];
    const webhook = await serving(({ uid }) => {
      asked.push(uid);
      return allowing();
    });
    const closed = await rawConnection(webhook);
    closed.end(headFor(webhook) + start);
    expect(await untilClosed(closed)).toMatch(/^HTTP\/1\.1 400 /);
    const destroyed = await rawConnection(webhook);
    destroyed.write(headFor(webhook) + start, () => destroyed.destroy());
    await untilClosed(destroyed);
    await expectAlive(webhook);
    expect(asked).toEqual(['still-alive']);
  });
});

describe('a connection', () => {
  test('is used again and again', async () => {
    const webhook = await serving(allowing);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<unknown>();
    agent.on('free', (socket: { localPort?: number }) => ports.add(socket.localPort));
    for (let round = 0; round < 20; round += 1) {
      expect((await post(webhook, aReview(), { agent })).status).toBe(200);
    }
    expect(ports.size).toBe(1);
    agent.destroy();
  });

  test('that sends its head too slowly gets 408', async () => {
    const webhook = await serving(allowing, { limits: { headMs: 100 } });
    const socket = await rawConnection(webhook);
    socket.write('POST /delete HTTP/1.1\r\nhost:');
    expect(await untilClosed(socket)).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('that does not speak HTTP gets 400', async () => {
    const webhook = await serving(allowing);
    const socket = await rawConnection(webhook);
    socket.write('\u0000\u0001 what?\r\n\r\n');
    expect(await untilClosed(socket)).toMatch(/^HTTP\/1\.1 400 /);
    await expectAlive(webhook);
  });

  test('of HTTP/1.0 is answered and closed', async () => {
    const webhook = await serving(allowing);
    const body = JSON.stringify(aReview());
    const socket = await rawConnection(webhook);
    socket.write(`${headFor(webhook).replace('1.1', '1.0')}content-length: ${body.length}\r\n\r\n${body}`);
    const answer = await untilClosed(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('"allowed":true');
  });

  test('may send the same review twice without waiting', async () => {
    const webhook = await serving(allowing);
    const body = JSON.stringify(aReview());
    const request = `${headFor(webhook)}content-length: ${body.length}\r\n`;
    const socket = await rawConnection(webhook);
    socket.write(`${request}\r\n${body}${request}connection: close\r\n\r\n${body}`);
    expect((await untilClosed(socket)).match(/"allowed":true/g)).toHaveLength(2);
  });

  test('with an older protocol than TLS 1.2 is not made', async () => {
    const webhook = await serving(allowing);
    const agent = new Agent({ minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' });
    await expect(post(webhook, aReview(), { agent })).rejects.toThrow(/protocol version/i);
  });
});

test('2,000 requests pass while the certificate is switched five times', { timeout: 60_000 }, async () => {
  const webhook = await serving(allowing);
  const lasting = new Agent({ keepAlive: true, maxSockets: 4 });
  const fingerprints = new Set<string>();
  const wrong: string[] = [];
  const total = 2_000;
  let sent = 0;

  async function sendSome(): Promise<void> {
    while (sent < total) {
      const id = sent++;
      if (id % 400 === 200) webhook.server.useCertificate(await aServing(webhook.authority, Date.now()));
      // Every fifth opens a connection of its own.
      const answer = await post(webhook, aReview({ uid: `r${id}` }), id % 5 === 0 ? {} : { agent: lasting });
      fingerprints.add(answer.fingerprint);
      if (answer.status !== 200 || fieldAt(responseOf(answer), 'uid') !== `r${id}`) wrong.push(answer.body);
    }
  }
  await Promise.all(Array.from({ length: 8 }, sendSome));
  lasting.destroy();
  expect(wrong).toEqual([]);
  expect(fingerprints.size).toBe(6);
});

describe('a server that is told to stop', () => {
  test('answers what is under way, and asks for other connections', async () => {
    const clock = new ManualClock();
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<Answer>();
    const webhook = await startWebhook({
      handlers: {
        '/delete': () => {
          begun.resolve();
          return release.promise;
        },
        '/quick': allowing,
      },
      limits: { farewellMs: 5_000 },
      clock,
    });
    const agent = new Agent({ keepAlive: true });
    const answering = post(webhook, aReview(), { agent, path: '/delete?timeout=30s' });
    await begun.promise;
    const stopped = webhook.stop();
    const during = await post(webhook, aReview(), { agent, path: '/quick' });
    expect([during.status, during.headers['connection']]).toEqual([200, 'close']);
    clock.advance(5_000);
    release.resolve(allow());
    expect((await answering).status).toBe(200);
    // The idle end of a kept connection: the server closes it.
    await stopped;
    await expect(post(webhook, aReview())).rejects.toThrow('ECONNREFUSED');
    agent.destroy();
  });
});
