import { afterEach, describe, expect, test } from 'vitest';
import { Kinds } from '#pkg/object';
import { FakeClock } from '#test/fakes/fake-clock.ts';
import { kubeReader, type KubeReaderOptions } from './kube-reader.ts';
import { aTransport, sendJson, startFakeServer, type FakeServer } from './testing/fake-server.ts';
import { refreshedTypes } from './type-source.ts';
import type { Reader } from '#pkg/object';

const signal = new AbortController().signal;
let server: FakeServer | undefined;

afterEach(() => server?.close());

interface Reply {
  readonly status?: number;
  readonly body: unknown;
}

const DISCOVERY = {
  kind: 'APIGroupDiscoveryList',
  items: [
    {
      metadata: { name: 'ceph.rook.io' },
      versions: [
        {
          version: 'v1',
          resources: [
            {
              resource: 'cephclusters',
              responseKind: { kind: 'CephCluster' },
              scope: 'Namespaced',
              singularResource: 'cephcluster',
              shortNames: ['ceph'],
            },
          ],
        },
      ],
    },
  ],
};

/** A reader over canned replies, by path with query; asking for anything else is a 404. */
async function reading(replies: Record<string, Reply>, options: KubeReaderOptions = {}): Promise<Reader> {
  server = await startFakeServer((request, answer) => {
    const all: Record<string, Reply> = { '/apis': { body: DISCOVERY }, ...replies };
    const reply = all[request.url ?? ''] ?? { status: 404, body: status('NotFound', 404, 'not there') };
    sendJson(answer, reply.status ?? 200, reply.body);
  });
  return kubeReader(await aTransport(server.url), options);
}

const status = (reason: string, code: number, message: string): unknown => ({
  kind: 'Status',
  reason,
  code,
  message,
});
const forbidden = (message: string): Reply => ({ status: 403, body: status('Forbidden', 403, message) });
const missing = (name: string): Reply => ({
  status: 404,
  body: { kind: 'Status', reason: 'NotFound', code: 404, message: 'not found', details: { name } },
});
const NOT_SERVED: Reply = { status: 404, body: '404 page not found' };
const asked = (): (string | undefined)[] => (server?.requests ?? []).map(({ url }) => url);

const CLUSTERS = '/apis/ceph.rook.io/v1/cephclusters?limit=20000';
const IN_ROOK = '/apis/ceph.rook.io/v1/namespaces/rook/cephclusters?limit=20000';
const aCluster = (name: string): object => ({ metadata: { name, namespace: 'rook', managedFields: [{}] } });
const listAll = { kind: Kinds.CephCluster, detail: 'object' } as const;

describe('list', () => {
  test('items get their type and lose their managed fields', async () => {
    const reader = await reading({ [CLUSTERS]: { body: { items: [aCluster('a')] } } });
    const { items, gaps } = await reader.list(listAll, signal);
    expect(items).toEqual([
      { apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', metadata: { name: 'a', namespace: 'rook' } },
    ]);
    expect(gaps).toEqual([]);
  });

  test('a stand-in type of metadata-only items is replaced', async () => {
    const item = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } };
    const reader = await reading({ [CLUSTERS]: { body: { items: [item] } } });
    const { items } = await reader.list({ ...listAll, detail: 'metadata' }, signal);
    expect(items).toEqual([{ apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', metadata: { name: 'a' } }]);
    expect(server?.requests[1]?.headers.accept).toContain('as=PartialObjectMetadataList');
  });

  test('a namespace and a selector narrow the request', async () => {
    const path = '/apis/ceph.rook.io/v1/namespaces/rook/cephclusters?labelSelector=a%3Db&limit=20000';
    const reader = await reading({ [path]: { body: { items: [aCluster('a')] } } });
    const { items } = await reader.list({ ...listAll, namespace: 'rook', labelSelector: 'a=b' }, signal);
    expect(items).toHaveLength(1);
  });

  test('pages are put together', async () => {
    const reader = await reading({
      [CLUSTERS]: { body: { items: [aCluster('a')], metadata: { continue: 'next' } } },
      [`${CLUSTERS}&continue=next`]: { body: { items: [aCluster('b')], metadata: { continue: '' } } },
    });
    const { items } = await reader.list(listAll, signal);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  });

  test('a list that ran out half-way is read again in one go', async () => {
    const reader = await reading({
      [CLUSTERS]: { body: { items: [aCluster('a')], metadata: { continue: 'old' } } },
      [`${CLUSTERS}&continue=old`]: { status: 410, body: status('Expired', 410, 'too old') },
      '/apis/ceph.rook.io/v1/cephclusters': { body: { items: [aCluster('a'), aCluster('b')] } },
    });
    const { items, gaps } = await reader.list(listAll, signal);
    expect(items).toHaveLength(2);
    expect(gaps).toEqual([]);
  });

  test('a list that runs out again is a gap', async () => {
    const expired = { status: 410, body: status('Expired', 410, 'too old') };
    const reader = await reading({ [CLUSTERS]: expired, '/apis/ceph.rook.io/v1/cephclusters': expired });
    const { gaps } = await reader.list(listAll, signal);
    expect(gaps).toEqual([{ what: 'CephCluster', reason: 'Error from server (Expired): too old' }]);
  });

  test('a type the server does not have is no gap, and is not asked for', async () => {
    const reader = await reading({});
    await expect(reader.list({ ...listAll, kind: Kinds.ObjectBucket }, signal)).resolves.toEqual({
      items: [],
      gaps: [],
    });
    expect(asked()).toEqual(['/apis']);
  });

  describe('of a type that is not served as it was named', () => {
    const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/cephclusters.ceph.rook.io';
    const asVersion = (version: string): object => {
      const [group] = DISCOVERY.items;
      return { ...DISCOVERY, items: [{ ...group, versions: [{ ...group?.versions[0], version }] }] };
    };
    /** Discovery before and after; the rest as in `reading`. */
    async function changing(after: object, replies: Record<string, Reply>): Promise<Reader> {
      let looks = 0;
      server = await startFakeServer(({ url = '' }, answer) => {
        if (url === '/apis') return sendJson(answer, 200, looks++ === 0 ? DISCOVERY : after);
        const reply = replies[url] ?? NOT_SERVED;
        sendJson(answer, reply.status ?? 200, reply.body);
      });
      const transport = await aTransport(server.url);
      return kubeReader(transport, { types: refreshedTypes(transport, new FakeClock()) });
    }

    test('is that of its new version', async () => {
      const body = { items: [aCluster('a')] };
      const reader = await changing(asVersion('v2'), { [CLUSTERS.replace('v1', 'v2')]: { body } });
      const { items, gaps } = await reader.list(listAll, signal);
      expect(items).toMatchObject([{ apiVersion: 'ceph.rook.io/v2', metadata: { name: 'a' } }]);
      expect(gaps).toEqual([]);
    });

    test.for([DISCOVERY, asVersion('v2')])('is a gap while the server names it', async (after) => {
      const { gaps } = await (await changing(after, {})).list(listAll, signal);
      expect(gaps).toMatchObject([{ what: 'CephCluster', reason: expect.stringContaining('NotFound') }]);
    });

    test('is a gap while it is defined, and when nobody can tell', async () => {
      const none = { ...DISCOVERY, items: [] };
      const defined = await changing(none, { [definition]: { body: {} } });
      const gap = {
        what: 'CephCluster',
        reason: 'cephclusters.ceph.rook.io is defined, and not served at present',
      };
      expect((await defined.list(listAll, signal)).gaps).toEqual([gap]);
      expect((await defined.list(listAll, signal)).gaps).toEqual([gap]);
      await expect(defined.get(Kinds.CephCluster, 'rook', 'a', signal)).rejects.toThrow(gap.reason);
      await server?.close();
      const hidden = await changing(none, { [definition]: forbidden('not you') });
      expect((await hidden.list(listAll, signal)).gaps).toHaveLength(1);
    });

    test('is empty when it is not defined any more', async () => {
      const reader = await changing(
        { ...DISCOVERY, items: [] },
        { [definition]: missing('cephclusters.ceph.rook.io') },
      );
      expect(await reader.list(listAll, signal)).toEqual({ items: [], gaps: [] });
    });
  });

  test('of a type that was never served is a gap if it is defined, for those who ask for definitions', async () => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/objectbuckets.objectbucket.io';
    const buckets = { ...listAll, kind: Kinds.ObjectBucket };
    const defined = await reading({ [path]: { body: {} } }, { asksDefinitions: true });
    expect((await defined.list(buckets, signal)).gaps).toMatchObject([{ what: 'ObjectBucket' }]);
    await server?.close();
    const undefinedOne = await reading({ [path]: missing('x') }, { asksDefinitions: true });
    expect(await undefinedOne.list(buckets, signal)).toEqual({ items: [], gaps: [] });
    await server?.close();
    const unasked = await reading({ [path]: { body: {} } });
    expect(await unasked.list(buckets, signal)).toEqual({ items: [], gaps: [] });
    expect(asked()).not.toContain(path);
  });

  test('a refusal is a gap', async () => {
    const reader = await reading(
      { '/api/v1/persistentvolumes?limit=20000': forbidden('not you') },
      { fallbackNamespace: 'rook' },
    );
    const { gaps } = await reader.list({ ...listAll, kind: Kinds.PersistentVolume }, signal);
    expect(gaps).toEqual([{ what: 'PersistentVolume', reason: 'forbidden: not you' }]);
  });

  test('a refusal of all namespaces leaves the one of the user', async () => {
    const reader = await reading(
      { [CLUSTERS]: forbidden('not all'), [IN_ROOK]: { body: { items: [aCluster('a')] } } },
      { fallbackNamespace: 'rook' },
    );
    const { items, gaps } = await reader.list(listAll, signal);
    expect(items).toHaveLength(1);
    expect(gaps).toEqual([{ what: 'CephCluster in other namespaces', reason: 'forbidden: not all' }]);
  });

  test('a refusal of that one, too, is one gap', async () => {
    const reader = await reading(
      { [CLUSTERS]: forbidden('not all'), [IN_ROOK]: forbidden('not even that') },
      { fallbackNamespace: 'rook' },
    );
    const { gaps } = await reader.list(listAll, signal);
    expect(gaps).toEqual([{ what: 'CephCluster', reason: 'forbidden: not even that' }]);
  });

  test('an error of the server is a gap', async () => {
    const reader = await reading({
      [CLUSTERS]: { status: 500, body: status('InternalError', 500, 'etcd is sad') },
    });
    const { gaps } = await reader.list(listAll, signal);
    expect(gaps).toEqual([{ what: 'CephCluster', reason: 'Error from server (InternalError): etcd is sad' }]);
  });

  test.for([{ body: { kind: 'Pod' } }, { body: [] }, { body: null }, { body: { items: {} } }])(
    'an answer that is no list is a gap: $body',
    async ({ body }) => {
      const reader = await reading({ [CLUSTERS]: { body } });
      const { items, gaps } = await reader.list(listAll, signal);
      expect(items).toEqual([]);
      expect(gaps).toMatchObject([{ what: 'CephCluster', reason: expect.stringContaining('not a list') }]);
    },
  );

  test('malformed items are a gap, the others are kept', async () => {
    const reader = await reading({ [CLUSTERS]: { body: { items: [7, { metadata: {} }, aCluster('a')] } } });
    const { items, gaps } = await reader.list(listAll, signal);
    expect(items).toHaveLength(1);
    expect(gaps).toHaveLength(2);
  });

  test('bad credentials are thrown', async () => {
    const reader = await reading({
      [CLUSTERS]: { status: 401, body: status('Unauthorized', 401, 'Unauthorized') },
    });
    await expect(reader.list(listAll, signal)).rejects.toThrow(
      'error: You must be logged in to the server (Unauthorized)',
    );
  });

  test('a dead server is thrown', async () => {
    const reader = await reading({});
    await reader.types(signal);
    await server?.close();
    await expect(reader.list(listAll, signal)).rejects.toThrow('was refused');
  });
});

describe('a group that cannot be discovered', () => {
  const stale = { metadata: { name: 'objectbucket.io' }, versions: [{ version: 'v1', freshness: 'Stale' }] };
  const broken = { '/apis': { body: { ...DISCOVERY, items: [...DISCOVERY.items, stale] } } };
  const reason =
    'unable to retrieve the complete list of server APIs: objectbucket.io/v1: stale GroupVersion discovery: objectbucket.io/v1';
  const buckets = { ...listAll, kind: Kinds.ObjectBucket };
  const path = '/apis/objectbucket.io/v1alpha1/objectbuckets';

  test('leaves a gap where its kinds are not there', async () => {
    const { items, gaps } = await (await reading(broken)).list(buckets, signal);
    expect({ items, gaps }).toEqual({ items: [], gaps: [{ what: 'ObjectBucket', reason }] });
  });

  test('leaves a gap for a kind that nobody knows', async () => {
    const kind = { group: 'objectbucket.io', kind: 'Novelty' };
    const { gaps } = await (await reading(broken)).list({ ...listAll, kind }, signal);
    expect(gaps).toEqual([{ what: 'Novelty', reason }]);
  });

  test('leaves the error of its server as the gap', async () => {
    const down = { status: 503, body: status('ServiceUnavailable', 503, 'down') };
    const reader = await reading({ ...broken, [`${path}?limit=20000`]: down });
    const { gaps } = await reader.list(buckets, signal);
    expect(gaps).toEqual([{ what: 'ObjectBucket', reason: 'Error from server (ServiceUnavailable): down' }]);
  });

  test('leaves none when it works again', async () => {
    const body = { items: [{ metadata: { name: 'a' } }] };
    const reader = await reading({ ...broken, [`${path}?limit=20000`]: { body } });
    await expect(reader.list(buckets, signal)).resolves.toMatchObject({
      items: [{ kind: 'ObjectBucket' }],
      gaps: [],
    });
  });

  test('does not call one of its objects missing', async () => {
    const reader = await reading(broken);
    await expect(reader.get(Kinds.ObjectBucket, undefined, 'a', signal)).rejects.toThrow(`error: ${reason}`);
  });
});

describe('get', () => {
  const path = '/apis/ceph.rook.io/v1/namespaces/rook/cephclusters/a';
  const get = (reader: Reader): Promise<unknown> => reader.get(Kinds.CephCluster, 'rook', 'a', signal);

  test('an object comes with its managed fields', async () => {
    const body = { apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', ...aCluster('a') };
    await expect(get(await reading({ [path]: { body } }))).resolves.toEqual(body);
  });

  test('an object that is not there is undefined', async () => {
    await expect(get(await reading({ [path]: missing('a') }))).resolves.toBeUndefined();
  });

  test('an object whose kind is no longer served is not missing', async () => {
    const reader = await reading({ [path]: NOT_SERVED });
    await expect(get(reader)).rejects.toThrow('the server could not find the requested resource');
  });

  test('a type that is not there is undefined', async () => {
    const reader = await reading({});
    await expect(reader.get(Kinds.ObjectBucket, undefined, 'a', signal)).resolves.toBeUndefined();
  });

  test('a refusal is thrown', async () => {
    await expect(get(await reading({ [path]: forbidden('no') }))).rejects.toThrow(
      'Error from server (Forbidden): no',
    );
  });

  test('something else than an object is thrown', async () => {
    await expect(get(await reading({ [path]: { body: {} } }))).rejects.toThrow('unexpected response');
  });
});

test('the server is asked for its types once', async () => {
  const reader = await reading({ [CLUSTERS]: { body: { items: [] } } });
  await Promise.all([reader.list(listAll, signal), reader.list(listAll, signal), reader.types(signal)]);
  expect(asked().filter((url) => url === '/apis')).toHaveLength(1);
});

test('a failed discovery is tried again', async () => {
  const reader = await reading({ '/apis': { status: 500, body: status('InternalError', 500, 'x') } });
  await expect(reader.types(signal)).rejects.toThrow();
  await expect(reader.types(signal)).rejects.toThrow();
  expect(asked()).toHaveLength(2);
});
