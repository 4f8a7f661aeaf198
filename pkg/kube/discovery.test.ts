import { afterEach, expect, test } from 'vitest';
import { discover } from './discovery.ts';
import { aTransport, sendJson, startFakeServer, type FakeServer } from './testing/fake-server.ts';
import type { ResourceTypes } from '#pkg/object';

const signal = new AbortController().signal;
let server: FakeServer | undefined;

afterEach(() => server?.close());

async function discovering(replies: Record<string, unknown>): Promise<ResourceTypes> {
  server = await startFakeServer((request, answer) => {
    const reply = replies[request.url ?? ''];
    if (reply === undefined) sendJson(answer, 503, {});
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
  expect(types.find({ group: 'objectbucket.io', kind: 'ObjectBucket' })).toBeUndefined();
});
