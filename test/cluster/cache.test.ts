import { afterAll, beforeAll, expect, test } from 'vitest';
import { Reflector, WatchedKinds, type KindSpec, type ObjectChange, type WatchState } from '#pkg/cache';
import { systemClock } from '#pkg/clock';
import { ApiError, type Watcher } from '#pkg/kube';
import { silentLogger } from '#pkg/log';
import { compareText, keyOf, Kinds, type GroupKind, type KubeObject } from '#pkg/object';
import { startControlPlane, type ControlPlane } from '../../scripts/controlplane/index.ts';
import { describeOnCluster } from './control-plane.ts';
import { liveClient, type LiveClient } from './live-client.ts';

const signal = AbortSignal.timeout(300_000);
const RBAC = 'rbac.authorization.k8s.io';
const NS = 'default';

let plane: ControlPlane;
let client: LiveClient;
const stop = new AbortController();
const running: Promise<void>[] = [];

const map = (name: string, label = 'none'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: NS, labels: { test: label } },
});
const ref = (name: string) => ({ group: '', kind: 'ConfigMap', namespace: NS, name });

/** Keeps names, by their first letter. */
function namesOf(kind: GroupKind, labelSelector?: string): KindSpec<string, 'first'> {
  return {
    kind,
    detail: 'metadata',
    labelSelector,
    project: ({ metadata }) => metadata.name,
    indexes: { first: (name) => [name.slice(0, 1)] },
  };
}

const ports = (from: LiveClient, more: object = {}) => ({
  watcher: from.watcher,
  clock: systemClock,
  logger: silentLogger,
  random: Math.random,
  ...more,
});

function start<T, N extends string>(reflector: Reflector<T, N>): Reflector<T, N> {
  running.push(reflector.run(stop.signal));
  return reflector;
}

/** Resolves when `holds` is true after a change or a new state. */
async function until(reflector: Reflector<string, 'first'>, holds: () => boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const look = (): void => {
    if (holds()) resolve();
  };
  const ends = [reflector.store.onChange(look), reflector.onState(look)];
  signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  look();
  await promise.finally(() => {
    for (const end of ends) end();
  });
}

describeOnCluster('the cache on a real API server', () => {
  beforeAll(async () => {
    plane = await startControlPlane({ controllerManager: false, audit: false }, signal);
    client = await liveClient(plane);
  });
  afterAll(async () => {
    stop.abort(new Error('end of tests'));
    await Promise.all(running);
    client.transport.close();
    await plane.stop();
  });

  test('a streamed list and one in pages hold the same objects', async () => {
    for (let from = 0; from < 1000; from += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, i) => client.writer.create(map(`m-${from + i}`, 'many'), {}, signal)),
      );
    const streamed = start(new Reflector(namesOf(Kinds.ConfigMap, 'test=many'), ports(client)));
    const watcher: Watcher = {
      ...client.watcher,
      watch: (request, end) => {
        if (request.sendInitialEvents)
          throw new ApiError('cannot stream', { status: 400, reason: 'BadRequest' });
        return client.watcher.watch(request, end);
      },
    };
    const timing = { pageSize: 100 };
    const paged = start(
      new Reflector(namesOf(Kinds.ConfigMap, 'test=many'), ports(client, { watcher, timing })),
    );
    await Promise.all([streamed.settled(signal), paged.settled(signal)]);
    expect([streamed.state.kind, paged.state.kind]).toEqual(['synced', 'synced']);
    expect([...paged.store.keys()].toSorted(compareText)).toEqual(
      [...streamed.store.keys()].toSorted(compareText),
    );
    expect(streamed.store.size).toBe(1000);
    const created = map('z-late', 'many');
    await client.writer.create(created, {}, signal);
    for (const reflector of [streamed, paged])
      await until(reflector, () => [...reflector.store.keysBy('first', 'z')].length === 1);
  });

  test('what happened while it was cut off is noticed, and the end of the old object of a name as well', async () => {
    for (const name of ['kept', 'deleted', 'remade'])
      await client.writer.create(map(name, 'restart'), {}, signal);
    const gate = new Gate();
    const gated = start(
      new Reflector(
        namesOf(Kinds.ConfigMap, 'test=restart'),
        ports(client, { watcher: gate.before(client.watcher) }),
      ),
    );
    const direct = start(new Reflector(namesOf(Kinds.ConfigMap, 'test=restart'), ports(client)));
    await Promise.all([gated.settled(signal), direct.settled(signal)]);
    const changes: ObjectChange<string>[] = [];
    const reasons: string[] = [];
    gated.store.onChange((change) => changes.push(change));
    gated.onState((state) => 'reason' in state && reasons.push(state.reason));

    gate.close();
    await client.writer.delete(ref('deleted'), {}, signal);
    await client.writer.delete(ref('remade'), {}, signal);
    await client.writer.create(map('remade', 'restart'), {}, signal);
    await client.writer.create(map('new', 'restart'), {}, signal);
    await until(direct, () => direct.store.get(keyOf(ref('new'))) === 'new');
    // A server that starts does not know what came before.
    await plane.stopApiserver();
    await until(direct, () => direct.state.kind === 'failing');
    await plane.startApiserver(signal);
    gate.open();
    await until(gated, () => gated.state.kind === 'synced' && gated.store.size === 3);
    const key = (name: string): string => keyOf(ref(name));
    // In which order a list comes is left to the server; an end comes before the beginning under the same name.
    expect(changes.toSorted((a, b) => compareText(a.key, b.key))).toEqual([
      { key: key('deleted'), old: 'deleted' },
      { key: key('new'), new: 'new' },
      { key: key('remade'), old: 'remade' },
      { key: key('remade'), new: 'remade' },
    ]);
    expect(reasons.join()).toContain('too old resource version');
    expect(gated.health.lists).toBe(2);
    await client.writer.create(map('late', 'restart'), {}, signal);
    for (const reflector of [gated, direct])
      await until(reflector, () => reflector.hasSynced && reflector.store.get(keyOf(ref('late'))) === 'late');
  });

  test('a kind that is forbidden is reported, and watched when the right is granted', async () => {
    const user = await liveClient(plane, 'learner');
    const watched = watchedKinds(user, [Kinds.ConfigMap]);
    await watched.settled(signal);
    expect(watched.state(Kinds.ConfigMap)).toMatchObject({ kind: 'forbidden' });
    expect(watched.look(ref('kept'))).toMatchObject({ kind: 'unknown' });
    const metadata = { name: 'learner' };
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] }];
    const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: 'learner' };
    const subjects = [{ apiGroup: RBAC, kind: 'User', name: 'learner' }];
    const apiVersion = `${RBAC}/v1`;
    await client.writer.create({ apiVersion, kind: 'ClusterRole', metadata, rules }, {}, signal);
    await client.writer.create(
      { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, subjects },
      {},
      signal,
    );
    await untilState(watched, Kinds.ConfigMap, 'synced');
    expect(watched.look(ref('kept'))).toEqual({ kind: 'present', value: 'kept' });
    user.transport.close();
  });

  test('a kind is watched when its definition comes, and empty for certain when it has gone', async () => {
    const kind = { group: 'cache.test', kind: 'Thing' };
    const watched = watchedKinds(client, [kind]);
    await watched.settled(signal);
    expect(watched.state(kind)).toMatchObject({ kind: 'not-served' });
    await client.writer.create(DEFINITION, {}, signal);
    await untilState(watched, kind, 'synced');
    await client.writer.create(
      { apiVersion: 'cache.test/v1', kind: 'Thing', metadata: { name: 't' } },
      {},
      signal,
    );
    const thing = { ...kind, name: 't' };
    await expect.poll(() => watched.look(thing), POLL).toEqual({ kind: 'present', value: 't' });
    const definition = {
      group: 'apiextensions.k8s.io',
      kind: 'CustomResourceDefinition',
      name: 'things.cache.test',
    };
    await client.writer.delete(definition, {}, signal);
    await untilState(watched, kind, 'not-served');
    await expect.poll(() => watched.state(kind), POLL).toEqual({ kind: 'not-served', isCertain: true });
    expect(watched.look(thing)).toEqual({ kind: 'absent' });
  });
});

const POLL = { timeout: 30_000, interval: 20 };

const DEFINITION: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.cache.test' },
  spec: {
    group: 'cache.test',
    scope: 'Cluster',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** Cuts watches off, and holds new ones back until it is opened. */
class Gate {
  #opened = Promise.withResolvers<void>();
  #cut = new AbortController();

  constructor() {
    this.open();
  }

  open(): void {
    this.#opened.resolve();
  }

  close(): void {
    this.#opened = Promise.withResolvers();
    this.#cut.abort(ApiError.unreachable('cut off'));
    this.#cut = new AbortController();
  }

  before(watcher: Watcher): Watcher {
    const passed = async (end: AbortSignal): Promise<AbortSignal> => {
      await this.#opened.promise;
      return AbortSignal.any([end, this.#cut.signal]);
    };
    return {
      pages: (selection, limit, end) => watcher.pages(selection, limit, end),
      async *watch(request, end) {
        yield* watcher.watch(request, await passed(end));
      },
    };
  }
}

function watchedKinds(from: LiveClient, kinds: readonly GroupKind[]): WatchedKinds<string, 'first'> {
  const timing = { slowPauses: { firstMs: 100, mostMs: 500 } };
  const watched = new WatchedKinds(ports(from, { timing }), (kind) => namesOf(kind));
  watched.want('test', kinds);
  running.push(watched.run(stop.signal));
  return watched;
}

async function untilState(
  watched: WatchedKinds<string, 'first'>,
  kind: GroupKind,
  state: WatchState['kind'],
): Promise<void> {
  await expect.poll(() => watched.state(kind)?.kind, POLL).toBe(state);
}
