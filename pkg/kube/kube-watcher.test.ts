import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { Kinds, KNOWN_TYPES } from '#pkg/object';
import { kubeWatcher } from './kube-watcher.ts';
import {
  aTransport,
  sendJson,
  startFakeServer,
  type FakeServer,
  type Handler,
} from './testing/fake-server.ts';
import { fixedTypes } from './testing/fixed-types.ts';
import type { Transport } from './transport.ts';
import type { Watcher, WatchEvent, WatchRequest } from './watcher.ts';

const signal = new AbortController().signal;
const REQUEST: WatchRequest = { kind: Kinds.ConfigMap, detail: 'object', timeoutSeconds: 60 };
let server: FakeServer | undefined;

afterEach(() => server?.close());

async function watching(
  handler: Handler,
  idleMs?: number,
): Promise<{ server: FakeServer; transport: Transport; watcher: Watcher }> {
  const started = await startFakeServer(handler);
  server = started;
  const transport = await aTransport(started.url);
  return { server: started, transport, watcher: kubeWatcher(transport, fixedTypes(KNOWN_TYPES), { idleMs }) };
}

const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;
const map = (name: string, more: object = {}): object => ({
  kind: 'ConfigMap',
  metadata: { name, namespace: 'ns', resourceVersion: '1', managedFields: [{}], ...more },
});
const send = (answer: ServerResponse, ...lines: string[]): void =>
  void answer.writeHead(200).write(lines.join(''));

async function all(events: AsyncIterable<WatchEvent>): Promise<readonly WatchEvent[]> {
  return (await Array.fromAsync(events)).filter(({ kind }) => kind !== 'opened');
}

describe('events', () => {
  test('come in order, typed, and without managed fields', async () => {
    const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };
    const end = { metadata: { resourceVersion: '7', annotations: { 'k8s.io/initial-events-end': 'true' } } };
    const { watcher } = await watching((_, answer) => {
      send(answer, line('ADDED', map('a')), line('MODIFIED', map('a')), line('DELETED', map('a')));
      answer.end(
        line('BOOKMARK', { metadata: { resourceVersion: '6' } }) +
          line('BOOKMARK', end) +
          line('ERROR', status),
      );
    });
    const metadata = { name: 'a', namespace: 'ns', resourceVersion: '1' };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    expect(await all(watcher.watch(REQUEST, signal))).toEqual([
      { kind: 'added', object },
      { kind: 'modified', object },
      { kind: 'deleted', object },
      { kind: 'bookmark', resourceVersion: '6', isEndOfInitial: false },
      { kind: 'bookmark', resourceVersion: '7', isEndOfInitial: true },
      { kind: 'error', status: 410, reason: 'Expired', message: 'too old', details: undefined },
    ]);
  });

  test('the wish for a streamed list, selectors and metadata alone travel in the request', async () => {
    const { watcher, server } = await watching((_, answer) => void answer.writeHead(200).end());
    const request = { ...REQUEST, namespace: 'ns', labelSelector: 'a=b', fieldSelector: 'metadata.name=x' };
    await all(watcher.watch({ ...request, detail: 'metadata', sendInitialEvents: true }, signal));
    const { pathname, searchParams } = new URL(server.requests[0]?.url ?? '', 'http://x');
    expect(pathname).toBe('/api/v1/namespaces/ns/configmaps');
    expect(Object.fromEntries(searchParams)).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      labelSelector: 'a=b',
      fieldSelector: 'metadata.name=x',
      timeoutSeconds: '60',
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
    });
    expect(server.requests[0]?.headers.accept).toContain('as=PartialObjectMetadata;');
    expect(server.requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  test.for([
    { name: 'an unknown event', text: line('SURPRISE', {}) },
    { name: 'an object without a name', text: line('ADDED', { metadata: {} }) },
    { name: 'a bookmark without a version', text: line('BOOKMARK', {}) },
  ])('$name is an error', async ({ text }) => {
    const { watcher } = await watching((_, answer) => void answer.end(text));
    await expect(all(watcher.watch(REQUEST, signal))).rejects.toMatchObject({ status: 200 });
  });
});

describe('a watch that cannot be', () => {
  test('throws the answer of the server', async () => {
    const { watcher } = await watching((_, answer) =>
      sendJson(answer, 403, { kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' }),
    );
    await expect(all(watcher.watch(REQUEST, signal))).rejects.toMatchObject({
      status: 403,
      serverMessage: 'no',
    });
  });

  test.for([
    { body: {}, status: 503 },
    { body: { kind: 'Status', code: 404, reason: 'NotFound', details: { name: 'x' } }, status: 404 },
  ])('throws $status for a kind that is not served as its definition says', async ({ body, status }) => {
    const { transport } = await watching((_, answer) => sendJson(answer, status === 404 ? 404 : 200, body));
    const watcher = kubeWatcher(transport, fixedTypes([]));
    const request = { ...REQUEST, kind: Kinds.ObjectBucket };
    await expect(all(watcher.watch(request, signal))).rejects.toMatchObject({ status });
    expect(server?.requests.map(({ url }) => url)).toEqual([
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/objectbuckets.objectbucket.io',
    ]);
  });

  test('throws 404 for a kind that is not served, without asking', async () => {
    const { watcher, server } = await watching((_, answer) => sendJson(answer, 200, {}));
    const request = { ...REQUEST, kind: { group: 'x.io', kind: 'X' } };
    await expect(all(watcher.watch(request, signal))).rejects.toMatchObject({ status: 404 });
    expect(server.requests).toEqual([]);
  });
});

describe('connections', () => {
  test('twelve watches leave all places for requests', async () => {
    const { watcher, transport } = await watching((request, answer) => {
      if (request.url?.includes('watch=true')) send(answer, line('ADDED', map('a')));
      else sendJson(answer, 200, {});
    });
    const stop = new AbortController();
    const watches = Array.from({ length: 12 }, () =>
      watcher.watch(REQUEST, stop.signal)[Symbol.asyncIterator](),
    );
    for (const watch of watches) {
      await watch.next();
      await watch.next();
    }
    await Promise.all(Array.from({ length: 20 }, () => transport.getJson('/x', {}, signal)));
    stop.abort(new Error('enough'));
    for (const watch of watches) await expect(watch.next()).rejects.toThrow('enough');
  });

  test.for(['break', 'abort'])('a %s closes the connection', async (way) => {
    const closed = Promise.withResolvers<void>();
    const { watcher } = await watching((request, answer) => {
      void once(request.socket, 'close').then(() => closed.resolve());
      send(answer, line('ADDED', map('a')));
    });
    const stop = new AbortController();
    const run = async (): Promise<void> => {
      for await (const event of watcher.watch(REQUEST, stop.signal)) {
        if (event.kind !== 'added') continue;
        if (way === 'break') break;
        stop.abort(new Error('enough'));
      }
    };
    if (way === 'break') await run();
    else await expect(run()).rejects.toThrow('enough');
    await closed.promise;
  });

  test('silence for too long is an error', async () => {
    const { watcher } = await watching((_, answer) => send(answer, line('ADDED', map('a'))), 30);
    const events: WatchEvent[] = [];
    const run = async (): Promise<void> => {
      for await (const event of watcher.watch(REQUEST, signal)) events.push(event);
    };
    await expect(run()).rejects.toMatchObject({ isUnreachable: true });
    expect(events.map(({ kind }) => kind)).toEqual(['opened', 'added']);
  });

  test('a connection that breaks is an error, not the end of the watch', async () => {
    const { watcher } = await watching((request, answer) => {
      send(answer, line('ADDED', map('a')));
      setImmediate(() => request.socket.destroy());
    });
    await expect(all(watcher.watch(REQUEST, signal))).rejects.toMatchObject({ isUnreachable: true });
  });

  test('a slow reader holds the server back instead of filling memory', async () => {
    const big = line('ADDED', map('a', { annotations: { a: 'x'.repeat(100_000) } }));
    const total = 500;
    let written = 0;
    const { watcher } = await watching((_, answer) => {
      const write = (): void => {
        while (written < total) {
          written += 1;
          if (!answer.write(big)) return void answer.once('drain', write);
        }
        answer.end();
      };
      write();
    });
    const watch = watcher.watch(REQUEST, signal)[Symbol.asyncIterator]();
    await watch.next();
    await watch.next();
    // Until the server makes no progress for many turns of the loop.
    for (let turns = 0, before = written; turns < 500; turns += 1) {
      await nextTurn();
      if (written !== before) turns = 0;
      before = written;
    }
    expect(written).toBeLessThan(total);
    let read = 1;
    for (let next = await watch.next(); next.done !== true; next = await watch.next()) read += 1;
    expect(read).toBe(total);
  });
});

describe('pages', () => {
  test('follow each other to the end, all with the version of the list', async () => {
    const { watcher, server } = await watching((request, answer) => {
      const token = new URL(request.url ?? '', 'http://x').searchParams.get('continue');
      const metadata = { resourceVersion: '9', ...(token === null && { continue: 'next' }) };
      sendJson(answer, 200, { kind: 'ConfigMapList', metadata, items: [map(token ?? 'first')] });
    });
    const pages = await Array.fromAsync(watcher.pages({ ...REQUEST, fieldSelector: 'a=b' }, 1, signal));
    expect(pages.map(({ items, resourceVersion }) => [items[0]?.metadata.name, resourceVersion])).toEqual([
      ['first', '9'],
      ['next', '9'],
    ]);
    expect(server.requests[0]?.url).toBe('/api/v1/configmaps?fieldSelector=a%3Db&limit=1');
  });
});
