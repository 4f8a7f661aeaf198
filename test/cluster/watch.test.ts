import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventOf, type WatchEvent, type WatchRequest } from '#pkg/kube';
import {
  compareText,
  fieldAt,
  isAlreadyExists,
  isConflict,
  isForbidden,
  Kinds,
  listAt,
  textAt,
  type KubeObject,
} from '#pkg/object';
import { apply, controlPlane, describeOnCluster, freshNamespace } from './control-plane.ts';
import { liveClient, type LiveClient } from './live-client.ts';

const signal = AbortSignal.timeout(120_000);
let client: LiveClient;
let ns = '';

const map = (name: string, data: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: ns },
  data,
});
const ref = (name: string) => ({ group: '', kind: 'ConfigMap', namespace: ns, name });
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.unreachable('nothing was thrown'),
    (error: unknown) => error,
  );

describeOnCluster('on a real API server', () => {
  beforeAll(async () => {
    client = await liveClient(controlPlane());
    ns = await freshNamespace('watch');
  });
  afterAll(() => client.transport.close());

  describe('the writer', () => {
    test('creates once', async () => {
      const created = await client.writer.create(map('once'), {}, signal);
      expect(created.metadata.uid).toBeDefined();
      expect(isAlreadyExists(await failure(client.writer.create(map('once'), {}, signal)))).toBe(true);
    });

    test('applies with its own field manager, and again without a change', async () => {
      const options = { fieldManager: 'rook-deps', force: true };
      const first = await client.writer.apply(map('applied', { a: '1' }), options, signal);
      const second = await client.writer.apply(map('applied', { a: '1' }), options, signal);
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
      const other = client.writer.apply(map('applied', { a: '2' }), { fieldManager: 'other' }, signal);
      expect(isConflict(await failure(other))).toBe(true);
    });

    test('applies names with capitals', async () => {
      const name = `Watch:${ns}`;
      const role = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name },
        rules: [],
      };
      expect((await client.writer.apply(role, { fieldManager: 'x' }, signal)).metadata.name).toBe(name);
      const target = { group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
      await expect(client.writer.delete(target, {}, signal)).resolves.toBe('deleted');
    });

    test.for([
      {
        name: 'a merge patch',
        type: 'merge',
        body: { metadata: { resourceVersion: '1' }, data: { a: 'b' } },
      },
      {
        name: 'replace in a JSON patch',
        type: 'json',
        body: [{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }],
      },
      {
        name: 'test in a JSON patch',
        type: 'json',
        body: [{ op: 'test', path: '/metadata/resourceVersion', value: '1' }],
      },
    ] as const)('an old version in $name is a conflict', async ({ name, ...change }) => {
      const object = name.replaceAll(' ', '-').toLowerCase();
      await client.writer.create(map(object), {}, signal);
      expect(isConflict(await failure(client.writer.patch(ref(object), change, signal)))).toBe(true);
    });

    test('patches the status alone', async () => {
      const meta = {
        apiVersion: 'ceph.rook.io/v1',
        kind: 'CephBlockPool',
        metadata: { name: 'p', namespace: ns },
      };
      await apply([{ ...meta, spec: { replicated: { size: 3 } } }]);
      const change = {
        type: 'merge',
        subresource: 'status',
        body: { spec: { replicated: { size: 9 } }, status: { phase: 'Ready' } },
      } as const;
      const pool = await client.writer.patch(
        { ...Kinds.CephBlockPool, namespace: ns, name: 'p' },
        change,
        signal,
      );
      expect(textAt(pool, 'status', 'phase')).toBe('Ready');
      expect(fieldAt(pool, 'spec', 'replicated', 'size')).toBe(3);
    });

    test('deletes only the UID it was told, and only for real', async () => {
      const { metadata } = await client.writer.create(map('deleted'), {}, signal);
      const target = ref('deleted');
      const other = client.writer.delete(target, { uid: '00000000-0000-0000-0000-000000000000' }, signal);
      expect(isConflict(await failure(other))).toBe(true);
      const options = { uid: metadata.uid, propagationPolicy: 'Background' } as const;
      await expect(client.writer.delete(target, { ...options, dryRun: true }, signal)).resolves.toBe(
        'deleted',
      );
      await expect(client.writer.delete(target, options, signal)).resolves.toBe('deleted');
      await expect(client.writer.delete(target, options, signal)).resolves.toBe('absent');
      await expect(client.writer.patch(target, { type: 'merge', body: {} }, signal)).resolves.toBeUndefined();
    });

    test('is told what a user may not do', async () => {
      const nobody = await liveClient(controlPlane(), 'nobody');
      expect(isForbidden(await failure(nobody.writer.delete(ref('x'), {}, signal)))).toBe(true);
      nobody.transport.close();
    });

    test.for([
      { user: 'nobody', groups: [], allowed: false },
      { user: 'root', groups: ['system:masters'], allowed: true },
    ])('asks what $user may do', async ({ user, groups, allowed }) => {
      const resourceAttributes = { verb: 'delete', resource: 'configmaps', namespace: ns };
      const review = await client.writer.createReview(
        {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: { user, groups, resourceAttributes },
        },
        signal,
      );
      expect(fieldAt(review, 'status', 'allowed')).toBe(allowed);
    });

    test('creates Events at the limits of their fields, on objects of both scopes', async () => {
      const namespaced = await client.writer.create(map('regarded'), {}, signal);
      const name = `Regarded:${ns}`;
      const clusterScoped = await client.writer.apply(
        { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules: [] },
        { fieldManager: 'x' },
        signal,
      );
      for (const regarding of [namespaced, clusterScoped]) {
        const words = { reason: 'R'.repeat(200), action: 'A'.repeat(200), note: '€'.repeat(1000) };
        const reporter = { controller: 'rook-deps.io/usage', instance: 'i'.repeat(200) };
        const event = eventOf({ regarding, type: 'Warning', ...words }, reporter, Date.now());
        const stored = await client.writer.create(event, {}, signal);
        expect(textAt(stored, 'regarding', 'uid')).toBe(regarding.metadata.uid);
        expect(Buffer.byteLength(textAt(stored, 'note') ?? '')).toBeGreaterThan(1020);
      }
      await client.writer.delete(
        { group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        {},
        signal,
      );
    });
  });

  describe('the watcher', () => {
    const request = (changes: Partial<WatchRequest> = {}): WatchRequest => ({
      kind: Kinds.ConfigMap,
      namespace: ns,
      detail: 'object',
      timeoutSeconds: 30,
      ...changes,
    });

    async function take(
      count: number,
      asked: WatchRequest,
      during: () => Promise<unknown> = async () => undefined,
    ) {
      const events: WatchEvent[] = [];
      for await (const event of client.watcher.watch(asked, signal)) {
        if (event.kind === 'opened') await during();
        else events.push(event);
        if (events.length === count) break;
      }
      return events;
    }

    test('streams what exists, then an end, then changes', async () => {
      await client.writer.create(
        { ...map('first', { a: 'b' }), metadata: { name: 'first', namespace: ns, labels: { watch: 'yes' } } },
        {},
        signal,
      );
      const asked = request({ sendInitialEvents: true, labelSelector: 'watch=yes' });
      const events: string[] = [];
      for await (const event of client.watcher.watch(asked, signal)) {
        events.push(event.kind);
        if (event.kind === 'bookmark') {
          expect(event.isEndOfInitial).toBe(true);
          await client.writer.patch(ref('first'), { type: 'merge', body: { data: { c: 'd' } } }, signal);
        }
        if (event.kind === 'modified') await client.writer.delete(ref('first'), {}, signal);
        if (event.kind === 'deleted') break;
      }
      expect(events).toEqual(['opened', 'added', 'bookmark', 'modified', 'deleted']);
    });

    test.for(['metadata', 'object'] as const)(
      'sends %s without managed fields, under its own kind',
      async (detail) => {
        const name = `detail-${detail}`;
        const fieldSelector = `metadata.name=${name}`;
        const create = () => client.writer.create(map(name, { a: 'b' }), {}, signal);
        const { resourceVersion } =
          (await Array.fromAsync(client.watcher.pages(request({ detail }), 500, signal)))[0] ?? {};
        const [event] = await take(1, request({ detail, fieldSelector, resourceVersion }), create);
        const object = event && 'object' in event ? event.object : undefined;
        expect(object).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
        expect(object?.metadata.managedFields).toBeUndefined();
        expect(fieldAt(object, 'data', 'a')).toBe(detail === 'object' ? 'b' : undefined);
      },
    );

    test('an old version is an error event 410', async () => {
      const [event] = await take(1, request({ kind: Kinds.CephBlockPool, resourceVersion: '1' }));
      expect(event).toMatchObject({ kind: 'error', status: 410, reason: 'Expired' });
    });

    test('ends in good order when its time is over', async () => {
      const asked = request({ sendInitialEvents: true, timeoutSeconds: 1, labelSelector: 'none=such' });
      const events = await Array.fromAsync(client.watcher.watch(asked, signal));
      expect(events.map(({ kind }) => kind)).toEqual(['opened', 'bookmark']);
    });

    test('pages hold each object once, at one version', async () => {
      const pages = await Array.fromAsync(client.watcher.pages(request({ detail: 'metadata' }), 2, signal));
      const names = pages.flatMap(({ items }) => items.map(({ metadata }) => metadata.name));
      expect(pages.length).toBeGreaterThan(1);
      expect(new Set(names).size).toBe(names.length);
      expect(new Set(pages.map(({ resourceVersion }) => resourceVersion)).size).toBe(1);
      const whole = await client.transport.getJson(`/api/v1/namespaces/${ns}/configmaps`, {}, signal);
      expect(names.toSorted(compareText)).toEqual(
        listAt(whole, 'items')
          .map((item) => textAt(item, 'metadata', 'name') ?? '')
          .toSorted(compareText),
      );
    });
  });
});
