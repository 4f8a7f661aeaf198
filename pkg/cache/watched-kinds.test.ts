import { afterEach, describe, expect, test } from 'vitest';
import { ApiError } from '#pkg/kube';
import { silentLogger } from '#pkg/log';
import { Kinds, type KubeObject } from '#pkg/object';
import { FakeClock, settle } from '#test/fakes/fake-clock.ts';
import { FakeWatcher } from '#test/fakes/fake-watcher.ts';
import { WatchedKinds } from './watched-kinds.ts';

const { ConfigMap, Secret, Pod } = Kinds;
const stop = { controller: new AbortController(), running: Promise.resolve() };

afterEach(async () => {
  stop.controller.abort(new Error('end of test'));
  await stop.running;
});

function start(): { watcher: FakeWatcher; watched: WatchedKinds<string>; clock: FakeClock } {
  const watcher = new FakeWatcher();
  const clock = new FakeClock();
  const watched = new WatchedKinds<string>(
    { watcher, clock, logger: silentLogger, random: () => 0.5 },
    (kind) => ({ kind, detail: 'metadata', project: ({ metadata }) => metadata.name, indexes: {} }),
  );
  stop.controller = new AbortController();
  stop.running = watched.run(stop.controller.signal);
  return { watcher, watched, clock };
}

const open = (watcher: FakeWatcher): readonly string[] =>
  watcher.watches.filter(({ isClosed }) => !isClosed).map(({ request }) => request.kind.kind);

const map: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'm', namespace: 'ns', resourceVersion: '1', uid: 'u' },
};
const MAP_REF = { group: '', kind: 'ConfigMap', namespace: 'ns', name: 'm' };

describe('which kinds are watched', () => {
  test('each kind once, from the first who wants it to the last', async () => {
    const { watcher, watched } = start();
    watched.want('usage', [ConfigMap, Secret]);
    watched.want('critical', [Secret, Pod]);
    await settle();
    expect(open(watcher)).toEqual(['ConfigMap', 'Secret', 'Pod']);
    watched.want('usage', []);
    await settle();
    expect(open(watcher)).toEqual(['Secret', 'Pod']);
    watched.want('critical', [Pod]);
    await settle();
    expect(open(watcher)).toEqual(['Pod']);
    expect(watched.kinds()).toEqual([Pod]);
    expect(watched.store(Secret)).toBeUndefined();
  });

  test('what is wanted before the start is watched from the start', async () => {
    const watcher = new FakeWatcher();
    const watched = new WatchedKinds<string>(
      { watcher, clock: new FakeClock(), logger: silentLogger, random: () => 0.5 },
      (kind) => ({ kind, detail: 'metadata', project: () => 'x', indexes: {} }),
    );
    watched.want('usage', [ConfigMap]);
    await settle();
    expect(watcher.watches).toEqual([]);
    stop.controller = new AbortController();
    stop.running = watched.run(stop.controller.signal);
    await settle();
    expect(open(watcher)).toEqual(['ConfigMap']);
  });

  test('the end of the run closes all watches', async () => {
    const { watcher, watched } = start();
    watched.want('usage', [ConfigMap, Secret]);
    await settle();
    stop.controller.abort(new Error('enough'));
    await stop.running;
    expect(open(watcher)).toEqual([]);
  });
});

describe('what is known', () => {
  test('an object is unknown until its kind is listed', async () => {
    const { watcher, watched } = start();
    expect(watched.look(MAP_REF).kind).toBe('unknown');
    watched.want('usage', [ConfigMap]);
    await settle();
    expect(watched.look(MAP_REF).kind).toBe('unknown');
    watcher.last.added(map);
    watcher.last.endOfInitial('5');
    await settle();
    expect(watched.look(MAP_REF)).toEqual({ kind: 'present', value: 'm' });
    expect(watched.look({ ...MAP_REF, name: 'other' })).toEqual({ kind: 'absent' });
    watched.want('usage', []);
    expect(watched.look(MAP_REF).kind).toBe('unknown');
  });

  test('of a kind that is not served, objects are absent once that is certain', async () => {
    const { watcher, watched } = start();
    watcher.onWatch = () => {
      throw new ApiError('', { status: 404, reason: 'NotFound' });
    };
    watched.want('usage', [ConfigMap]);
    await settle();
    const looks = [watched.look(MAP_REF).kind];
    for (let i = 0; i < 2; i += 1) {
      watched.lookAgain(ConfigMap);
      await settle();
      looks.push(watched.look(MAP_REF).kind);
    }
    expect(looks).toEqual(['unknown', 'unknown', 'absent']);
  });

  test('listeners hear of changes and states with their kind, and nothing of the end of a watch', async () => {
    const { watcher, watched } = start();
    const heard: unknown[] = [];
    watched.listen({
      changed: ({ kind }, change) => heard.push([kind, change]),
      stateChanged: ({ kind }, state) => heard.push([kind, state.kind]),
    });
    watched.want('usage', [ConfigMap]);
    await settle();
    watcher.last.added(map);
    watcher.last.endOfInitial('5');
    await settle();
    watched.want('usage', []);
    await settle();
    expect(heard).toEqual([
      ['ConfigMap', { key: '/ConfigMap/ns/m', new: 'm' }],
      ['ConfigMap', 'synced'],
    ]);
  });

  test('settled waits for all, also for those that fail', async () => {
    const { watcher, watched } = start();
    watcher.onWatch = (watch) => {
      if (watch.request.kind.kind === 'Secret') throw new ApiError('', { status: 403, reason: 'Forbidden' });
      watch.endOfInitial('5');
    };
    watched.want('usage', [ConfigMap, Secret]);
    await watched.settled(stop.controller.signal);
    expect([...watched.health()].map(({ kind, state }) => [kind.kind, state.kind])).toEqual([
      ['ConfigMap', 'synced'],
      ['Secret', 'forbidden'],
    ]);
  });
});
