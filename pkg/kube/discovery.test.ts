import { afterEach, expect, test } from 'vitest';
import { discover } from './discovery.ts';
import { aTransport, sendJson, startFakeServer, type FakeServer } from './testing/fake-server.ts';
import { Kinds, type ResourceTypes } from '#pkg/object';

const signal = new AbortController().signal;
let server: FakeServer | undefined;

afterEach(() => server?.close());

const ABSENT = { code: 404, body: {} };

/** What comes of these answers, and of another one to every further question. */
async function discovering(replies: Record<string, unknown>, other = ABSENT): Promise<ResourceTypes> {
  server = await startFakeServer((request, answer) => {
    const reply = replies[request.url ?? ''];
    if (reply === undefined) sendJson(answer, other.code, other.body);
    else sendJson(answer, 200, reply);
  });
  return discover(await aTransport(server.url), signal);
}

const asked = (): (string | undefined)[] => (server?.requests ?? []).map(({ url }) => url);

const resource = (kind: string, changes: object = {}): object => ({
  resource: `${kind.toLowerCase()}s`,
  responseKind: { kind },
  scope: 'Namespaced',
  singularResource: kind.toLowerCase(),
  ...changes,
});

const aggregated = {
  kind: 'APIGroupDiscoveryList',
  items: [
    {
      metadata: { name: 'events.k8s.io' },
      versions: [{ version: 'v1', resources: [resource('Event', { shortNames: ['ev'] })] }],
    },
    {
      metadata: { name: 'storage.k8s.io' },
      versions: [
        {
          version: 'v1',
          resources: [resource('Claim'), resource('Sc', { scope: 'Cluster', shortNames: ['s'] })],
        },
        { version: 'v1beta1', resources: [resource('Claim'), resource('Novelty')] },
      ],
    },
    { metadata: { name: 'broken.example.com' }, versions: [{ version: 'v1', freshness: 'Stale' }] },
    { nonsense: true },
  ],
};

test('one request is enough where the server aggregates', async () => {
  const types = await discovering({ '/apis': aggregated });
  expect(asked()).toEqual(['/apis']);
  expect(server?.requests[0]?.headers.accept).toMatch(
    /v=v2;as=APIGroupDiscoveryList,.*v=v2beta1;.*,application\/json$/,
  );
  expect(types.resolve('s')).toEqual({
    group: 'storage.k8s.io',
    version: 'v1',
    kind: 'Sc',
    plural: 'scs',
    singular: 'sc',
    shortNames: ['s'],
    namespaced: false,
  });
});

test('a kind is taken in the version that the server prefers', async () => {
  const types = await discovering({ '/apis': aggregated });
  expect(types.find({ group: 'storage.k8s.io', kind: 'Claim' })?.version).toBe('v1');
  expect(types.find({ group: 'storage.k8s.io', kind: 'Novelty' })?.version).toBe('v1beta1');
});

test('the core group wins a word that another claims', async () => {
  const types = await discovering({ '/apis': aggregated });
  expect(types.resolve('ev')?.group).toBe('');
  expect(types.resolve('events.events.k8s.io')?.group).toBe('events.k8s.io');
});

test.for([
  { word: 'ns', kind: 'Namespace', namespaced: false },
  { word: 'no', kind: 'Node', namespaced: false },
  { word: 'endpoints', kind: 'Endpoints', namespaced: true },
  { word: 'pvc', kind: 'PersistentVolumeClaim', namespaced: true },
])('$word is $kind without asking', async ({ word, kind, namespaced }) => {
  const types = await discovering({ '/apis': aggregated });
  expect(types.resolve(word)).toMatchObject({ kind, namespaced, version: 'v1' });
});

test('an old server is asked for the groups we know, and no other', async () => {
  const types = await discovering({
    '/apis': {
      kind: 'APIGroupList',
      groups: [
        { name: 'apps', versions: [{ version: 'v1' }], preferredVersion: { version: 'v1' } },
        { name: 'foreign.example.com', versions: [{ version: 'v1' }] },
        { name: 'ceph.rook.io', versions: [{ version: 'v1' }] },
        { name: 'objectbucket.io', versions: [{ version: 'v1alpha1' }] },
      ],
    },
    '/apis/apps/v1': {
      resources: [
        {
          name: 'deployments',
          kind: 'Deployment',
          singularName: '',
          namespaced: true,
          shortNames: ['deploy'],
        },
        { name: 'deployments/status', kind: 'Deployment', namespaced: true },
      ],
    },
    '/apis/ceph.rook.io/v1': { resources: [{ name: 'cephclusters', kind: 'CephCluster', namespaced: true }] },
  });
  expect(asked().toSorted((a = '', b = '') => (a < b ? -1 : 1))).toEqual([
    '/apis',
    '/apis/apps/v1',
    '/apis/ceph.rook.io/v1',
    '/apis/objectbucket.io/v1alpha1',
  ]);
  expect(types.resolve('deploy')).toMatchObject({
    plural: 'deployments',
    singular: 'deployment',
    namespaced: true,
  });
  expect(types.resolve('CephCluster')).toMatchObject({ plural: 'cephclusters' });
  expect(types.find(Kinds.ObjectBucket)).toBeUndefined();
  expect(types.failureOf(Kinds.ObjectBucket)).toBeUndefined();
});

const oneGroup = {
  '/apis': {
    kind: 'APIGroupList',
    groups: [{ name: 'objectbucket.io', versions: [{ version: 'v1alpha1' }] }],
  },
};

test.for([403, 500, 503])('a group that answers %i is known to have failed, with its error', async (code) => {
  const types = await discovering(oneGroup, { code, body: { kind: 'Status', code, message: 'no' } });
  expect(types.failureOf(Kinds.ObjectBucket)).toBe(
    'unable to retrieve the complete list of server APIs: objectbucket.io/v1alpha1: no',
  );
  expect(types.resolve('obc')).toEqual(Kinds.ObjectBucketClaim);
  expect(types.resolve('nonsense')).toBeUndefined();
  expect(types.failureOf(Kinds.Pod)).toBeUndefined();
});

test('a refusal of the credentials is thrown', async () => {
  await expect(discovering(oneGroup, { code: 401, body: {} })).rejects.toThrow('You must be logged in');
});

test('a stale group is known to have failed, except for the kinds it tells', async () => {
  const versions = [
    { version: 'v1', resources: [resource('CephCluster')] },
    { version: 'v2', freshness: 'Stale' },
  ];
  const items = [{ metadata: { name: 'ceph.rook.io' }, versions }];
  const types = await discovering({ '/apis': { kind: 'APIGroupDiscoveryList', items } });
  expect(types.failureOf(Kinds.CephBlockPool)).toBe(
    'unable to retrieve the complete list of server APIs: ceph.rook.io/v2: stale GroupVersion discovery: ceph.rook.io/v2',
  );
  expect(types.failureOf(Kinds.CephCluster)).toBeUndefined();
  expect(types.resolve('cephbp')).toEqual(Kinds.CephBlockPool);
});
