import { afterEach, describe, expect, test } from 'vitest';
import { ApiError } from '#pkg/kube';
import { silentLogger } from '#pkg/log';
import { Kinds, type KubeObject } from '#pkg/object';
import { FakeClock, settle } from '#test/fakes/fake-clock.ts';
import { FakeWatcher } from '#test/fakes/fake-watcher.ts';
import { Reflector } from './reflector.ts';

const stop = { controller: new AbortController(), running: Promise.resolve() };

afterEach(async () => {
  stop.controller.abort(new Error('end of test'));
  await stop.running;
});

const map = (name: string, version: number, uid = name): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'ns', resourceVersion: String(version), uid },
});

const answer = (status: number, more: { details?: unknown } = {}): ApiError =>
  new ApiError('error', { status, reason: 'R', serverMessage: 'words', ...more });

interface Running {
  readonly watcher: FakeWatcher;
  readonly clock: FakeClock;
  readonly reflector: Reflector<string>;
  readonly changes: string[];
  names(): readonly string[];
}

/** A reflector of names. Pauses are as long as they can be. */
function start(prepare: (watcher: FakeWatcher) => void = () => undefined): Running {
  const watcher = new FakeWatcher();
  prepare(watcher);
  const clock = new FakeClock();
  const project = ({ metadata }: KubeObject): string | undefined =>
    metadata.name.startsWith('_') ? undefined : metadata.name;
  const reflector = new Reflector<string>(
    { kind: Kinds.ConfigMap, detail: 'metadata', project, indexes: {} },
    { watcher, clock, logger: silentLogger, random: () => 0.999 },
  );
  const changes: string[] = [];
  reflector.store.onChange((change) =>
    changes.push(`${change.old ? '-' : ''}${change.new ? '+' : ''}${change.new ?? change.old}`),
  );
  stop.controller = new AbortController();
  stop.running = reflector.run(stop.controller.signal);
  return { watcher, clock, reflector, changes, names: () => [...reflector.store.values()] };
}

/** …with two maps, at version 10. */
async function synced(): Promise<Running> {
  const running = start();
  await settle();
  running.watcher.last.added(map('a', 1), map('b', 2));
  running.watcher.last.endOfInitial('10');
  await settle();
  expect(running.reflector.state).toEqual({ kind: 'synced' });
  running.changes.length = 0;
  return running;
}

describe('the first list', () => {
  test('is streamed, and in the store only when it is complete', async () => {
    const { watcher, reflector, names } = start();
    await settle();
    expect(watcher.last.request).toMatchObject({ sendInitialEvents: true, detail: 'metadata' });
    watcher.last.added(map('a', 1), map('b', 2));
    await settle();
    expect([names(), reflector.state.kind]).toEqual([[], 'starting']);
    watcher.last.endOfInitial('10');
    await settle();
    expect([names(), reflector.state.kind]).toEqual([['a', 'b'], 'synced']);
    expect(reflector.health).toMatchObject({ resourceVersion: '10', lists: 1, objects: 2 });
  });

  test('what changes while it is streamed is part of it', async () => {
    const { watcher, names } = start();
    await settle();
    watcher.last.added(map('a', 1), map('b', 2));
    watcher.last.send({ kind: 'deleted', object: map('a', 3) });
    watcher.last.endOfInitial('10');
    await settle();
    expect(names()).toEqual(['b']);
  });

  test.for([
    { name: 'an answer 400', refuse: (w: FakeWatcher) => fails(w, answer(400)) },
    { name: 'an answer 422', refuse: (w: FakeWatcher) => fails(w, answer(422)) },
    {
      name: 'an error event',
      refuse: (w: FakeWatcher) =>
        sends(w, { kind: 'error', status: 500, reason: 'InternalError', message: 'm', details: {} }),
    },
    {
      name: 'a bookmark that is not the end',
      refuse: (w: FakeWatcher) => sends(w, { kind: 'bookmark', resourceVersion: '3', isEndOfInitial: false }),
    },
  ])('comes in pages where streaming is refused by $name', async ({ refuse }) => {
    const limits: (number | undefined)[] = [];
    const { watcher, reflector, names } = start((fake) => {
      refuse(fake);
      fake.list = (_, limit) => {
        limits.push(limit);
        return [
          { items: [map('a', 1)], resourceVersion: '7' },
          { items: [map('b', 2)], resourceVersion: '7' },
        ];
      };
    });
    await settle();
    expect(names()).toEqual(['a', 'b']);
    expect(limits).toEqual([500]);
    expect(watcher.last.request).toMatchObject({ resourceVersion: '7' });
    expect(watcher.last.request.sendInitialEvents).toBeUndefined();
    // Later lists do not try to stream again.
    const before = watcher.watches.length;
    watcher.last.send({ kind: 'error', status: 410, reason: 'Expired', message: 'm', details: {} });
    await settle();
    expect(reflector.state).toMatchObject({ kind: 'failing' });
    reflector.lookAgain();
    await settle();
    expect(watcher.watches).toHaveLength(before + 1);
    expect(limits).toEqual([500, 500]);
  });

  test('comes all at once when a page is asked for too late', async () => {
    const limits: (number | undefined)[] = [];
    const { names } = start((fake) => {
      fails(fake, answer(400));
      fake.list = function* (_, limit) {
        limits.push(limit);
        if (limit !== undefined) {
          yield { items: [map('gone', 1)], resourceVersion: '7' };
          throw answer(410);
        }
        yield { items: [map('a', 8)], resourceVersion: '9' };
      };
    });
    await settle();
    expect(limits).toEqual([500, undefined]);
    expect(names()).toEqual(['a']);
  });

  test('objects without a projection are left out, and leave when they lose it', async () => {
    const { watcher, names } = start();
    await settle();
    watcher.last.added(map('_x', 1), map('a', 2));
    watcher.last.endOfInitial('10');
    await settle();
    expect(names()).toEqual(['a']);
  });
});

describe('changes', () => {
  test('go into the store, and the next watch goes on after them', async () => {
    const { watcher, clock, changes, names } = await synced();
    watcher.last.send(
      { kind: 'added', object: map('c', 11) },
      { kind: 'modified', object: map('a', 12) },
      { kind: 'deleted', object: map('b', 13) },
    );
    await settle();
    expect(names()).toEqual(['a', 'c']);
    expect(changes).toEqual(['+c', '-+a', '-b']);
    await clock.advance(20_000);
    watcher.last.end();
    await settle();
    expect(watcher.watches).toHaveLength(2);
    expect(watcher.last.request).toMatchObject({ resourceVersion: '13' });
  });

  test('a bookmark moves the version on without a change', async () => {
    const { watcher, reflector, clock } = await synced();
    await clock.advance(60_000);
    watcher.last.send({ kind: 'bookmark', resourceVersion: '99', isEndOfInitial: false });
    await settle();
    expect(reflector.health).toMatchObject({ resourceVersion: '99', heardAtMs: clock.now() });
  });
});

describe('a version that is too old', () => {
  test.for([
    { name: 'as an event', status: 410, details: {} },
    {
      name: 'ahead of a server restored from a backup',
      status: 504,
      details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
    },
  ])('leads to a new list ($name)', async ({ status, details }) => {
    const { watcher, clock, changes, reflector } = await synced();
    await clock.advance(20_000);
    watcher.last.send({ kind: 'error', status, reason: 'R', message: 'm', details });
    await settle();
    expect(watcher.last.request).toMatchObject({ sendInitialEvents: true });
    expect(reflector.state.kind).toBe('failing');
    // b was deleted and a made anew while nobody looked; the store changes only when the list is complete.
    watcher.last.added(map('a', 15, 'another'), map('c', 14));
    await settle();
    expect(changes).toEqual([]);
    watcher.last.endOfInitial('20');
    await settle();
    expect(changes).toEqual(['-b', '-a', '+a', '+c']);
    expect(reflector.health.lists).toBe(2);
    expect(reflector.state.kind).toBe('synced');
  });
});

describe('failures', () => {
  test('a connection that breaks after a long life is made anew at once', async () => {
    const { watcher, clock, reflector } = await synced();
    await clock.advance(20_000);
    watcher.last.fail(ApiError.unreachable('broken'));
    await settle();
    expect(watcher.watches).toHaveLength(2);
    expect(reflector.state.kind).toBe('synced');
  });

  test('pauses double up to their limit, and it never gives up', async () => {
    const { watcher, clock, reflector } = await synced();
    const openedAt: number[] = [];
    fails(watcher, ApiError.unreachable('refused'), () => openedAt.push(clock.now()));
    watcher.last.fail(ApiError.unreachable('broken'));
    await clock.advance(600_000);
    const pauses = openedAt
      .slice(1)
      .map((at, index) => Math.round((at - (openedAt[index] ?? 0)) / 100) * 100);
    expect(pauses.slice(0, 9)).toEqual([400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000]);
    expect(openedAt.length).toBeGreaterThan(20);
    expect(reflector.state).toEqual({ kind: 'failing', reason: 'refused' });
    watcher.onWatch = () => undefined;
    await clock.advance(30_000);
    expect(reflector.state.kind).toBe('synced');
    expect(watcher.last.request).toMatchObject({ resourceVersion: '10' });
  });

  test('an accepted watch is not believed before it has brought something, or has been silent for a second', async () => {
    const { watcher, clock, reflector } = await synced();
    fails(watcher, ApiError.unreachable('refused'));
    watcher.last.fail(ApiError.unreachable('broken'));
    await settle();
    watcher.onWatch = () => undefined;
    reflector.lookAgain();
    await clock.advance(999);
    expect(reflector.state.kind).toBe('failing');
    await clock.advance(1);
    expect(reflector.state.kind).toBe('synced');
  });

  test('a server that ends every watch at once is not asked without pause', async () => {
    const { watcher, clock } = await synced();
    watcher.onWatch = (watch) => watch.end();
    watcher.last.end();
    await clock.advance(10_000);
    expect(watcher.watches.length).toBeLessThan(10);
  });

  test('what is forbidden is tried again slowly, at once when told to, and works when granted', async () => {
    const { watcher, clock, reflector } = start((fake) => fails(fake, answer(403)));
    await settle();
    expect(reflector.state).toEqual({ kind: 'forbidden', reason: 'words' });
    await clock.advance(120_000);
    expect(watcher.watches.length).toBeLessThan(10);
    watcher.onWatch = (watch) => watch.endOfInitial('3');
    reflector.lookAgain();
    await settle();
    expect(reflector.state.kind).toBe('synced');
  });

  test('a kind that is not served loses its objects only at the third look', async () => {
    const { watcher, reflector, names } = await synced();
    fails(watcher, answer(404));
    watcher.last.fail(answer(404));
    await settle();
    expect(reflector.state).toEqual({ kind: 'not-served', isCertain: false });
    reflector.lookAgain();
    await settle();
    expect(names()).toEqual(['a', 'b']);
    reflector.lookAgain();
    await settle();
    expect(reflector.state).toEqual({ kind: 'not-served', isCertain: true });
    expect(names()).toEqual([]);
    watcher.onWatch = (watch) => watch.endOfInitial('3');
    reflector.lookAgain();
    await settle();
    expect(reflector.state.kind).toBe('synced');
  });
});

describe('settled', () => {
  test('waits for the first outcome', async () => {
    const { watcher, reflector } = start();
    const state = reflector.settled(new AbortController().signal);
    await settle();
    watcher.last.endOfInitial('3');
    await expect(state).resolves.toEqual({ kind: 'synced' });
  });

  test('ends with an abort', async () => {
    const { reflector } = start();
    const controller = new AbortController();
    const state = reflector.settled(controller.signal);
    controller.abort(new Error('enough'));
    await expect(state).rejects.toThrow('enough');
  });
});

test('an abort ends it and closes the watch', async () => {
  const { watcher } = await synced();
  stop.controller.abort(new Error('enough'));
  await stop.running;
  expect(watcher.last.isClosed).toBe(true);
});

function fails(watcher: FakeWatcher, error: Error, tell: () => void = () => undefined): void {
  let refused = false;
  watcher.onWatch = (watch) => {
    tell();
    // A server without streamed lists has plain watches all the same.
    const isStreamed = watch.request.sendInitialEvents === true;
    const isUnknownOption = error instanceof ApiError && [400, 422].includes(error.status);
    if (isUnknownOption && (!isStreamed || refused)) return;
    refused = true;
    throw error;
  };
}

function sends(watcher: FakeWatcher, ...events: Parameters<FakeWatcher['last']['send']>): void {
  watcher.onWatch = (watch) => {
    if (watch.request.sendInitialEvents === true) watch.send(...events);
  };
}
