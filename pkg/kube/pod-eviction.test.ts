import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { Kinds } from '#pkg/object';
import { anObject } from '#test/fixtures/objects.ts';
import { podEviction } from './pod-eviction.ts';
import { aTransport, sendJson, startFakeServer, type FakeServer } from './testing/fake-server.ts';

const { signal } = new AbortController();
let server: FakeServer | undefined;
afterEach(() => server?.close());

const pod = anObject(Kinds.Pod, 'web', { namespace: 'shop', uid: 'u' });

async function evicting(
  status: number,
  body: object,
): Promise<{ answer: Promise<unknown>; sent: unknown[] }> {
  const sent: unknown[] = [];
  server = await startFakeServer((request, answer) => {
    void text(request).then((content) => {
      sent.push(`${request.method ?? ''} ${request.url ?? ''}`, JSON.parse(content));
      sendJson(answer, status, body, {});
    });
  });
  const evict = podEviction(await aTransport(server.url));
  return { answer: evict(pod, { dryRun: status === 201 }, signal), sent };
}

const failure = (code: number, message: string, more: object = {}): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message,
  code,
  ...more,
});

test('asks for this very pod, and for nothing else in a dry run', async () => {
  const { answer, sent } = await evicting(201, { kind: 'Status', status: 'Success' });
  expect(await answer).toEqual({ kind: 'evicted' });
  expect(sent).toEqual([
    'POST /api/v1/namespaces/shop/pods/web/eviction?dryRun=All',
    {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'web', namespace: 'shop' },
      deleteOptions: { preconditions: { uid: 'u' }, dryRun: ['All'] },
    },
  ]);
});

const causes = [{ reason: 'DisruptionBudget', message: 'The disruption budget web needs 3 healthy pods' }];

test.for([
  { name: 'is gone', status: 404, body: failure(404, 'not found'), expected: { kind: 'gone' } },
  { name: 'was replaced', status: 409, body: failure(409, 'another UID'), expected: { kind: 'gone' } },
  {
    name: 'a budget holds',
    status: 429,
    body: failure(429, 'Cannot evict pod', { reason: 'TooManyRequests', details: { causes } }),
    expected: { kind: 'held', message: 'The disruption budget web needs 3 healthy pods' },
  },
  {
    name: 'two budgets select',
    status: 500,
    body: failure(500, 'This pod has more than one PodDisruptionBudget, which is not supported.'),
    expected: {
      kind: 'held',
      message: 'This pod has more than one PodDisruptionBudget, which is not supported.',
    },
  },
])('tells of a pod that $name', async ({ status, body, expected }) => {
  expect(await (await evicting(status, body)).answer).toEqual(expected);
});

test.for([403, 500])('throws what budgets have no part in: %d', async (status) => {
  await expect((await evicting(status, failure(status, 'no'))).answer).rejects.toMatchObject({ status });
});
