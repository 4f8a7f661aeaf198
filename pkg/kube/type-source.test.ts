import { afterEach, expect, test } from 'vitest';
import { FakeClock } from '#test/fakes/fake-clock.ts';
import { aTransport, sendJson, startFakeServer, type FakeServer } from './testing/fake-server.ts';
import { refreshedTypes } from './type-source.ts';

const signal = new AbortController().signal;
const POOL = { group: 'ceph.rook.io', kind: 'CephBlockPool' };
let server: FakeServer | undefined;
let served = false;

afterEach(() => {
  served = false;
  return server?.close();
});

async function start(): Promise<{
  clock: FakeClock;
  types: ReturnType<typeof refreshedTypes>;
  asked(): number;
}> {
  const resource = {
    resource: 'cephblockpools',
    responseKind: { kind: 'CephBlockPool' },
    scope: 'Namespaced',
  };
  const versions = [{ version: 'v1', resources: [resource] }];
  const fake = await startFakeServer((_, answer) => {
    const items = served ? [{ metadata: { name: 'ceph.rook.io' }, versions }] : [];
    sendJson(answer, 200, { kind: 'APIGroupDiscoveryList', items });
  });
  server = fake;
  const clock = new FakeClock();
  return {
    clock,
    types: refreshedTypes(await aTransport(fake.url), clock),
    asked: () => fake.requests.length,
  };
}

test('a kind that was missing is found after its definition came', async () => {
  const { clock, types } = await start();
  expect((await types(POOL, signal)).find(POOL)).toBeUndefined();
  served = true;
  await clock.advance(2_000);
  expect((await types(POOL, signal)).find(POOL)?.plural).toBe('cephblockpools');
});

test('a missing kind costs one question a second, however often it is asked for', async () => {
  const { clock, types, asked } = await start();
  for (let i = 0; i < 5; i += 1) await types(POOL, signal);
  expect(asked()).toBe(1);
  await clock.advance(1_000);
  await Promise.all([types(POOL, signal), types(POOL, signal)]);
  expect(asked()).toBe(2);
});

test('a known kind is asked for again after a minute', async () => {
  served = true;
  const { clock, types, asked } = await start();
  await types(POOL, signal);
  await clock.advance(59_000);
  await types(POOL, signal);
  expect(asked()).toBe(1);
  await clock.advance(1_000);
  await types(POOL, signal);
  expect(asked()).toBe(2);
});

test('who joined a question that was aborted gets an answer all the same', async () => {
  const { types } = await start();
  const first = new AbortController();
  const aborted = types(POOL, first.signal);
  const joined = types(POOL, signal);
  first.abort(new Error('stop'));
  await expect(aborted).rejects.toThrow('stop');
  expect((await joined).find({ group: '', kind: 'Pod' })).toBeDefined();
});

test('types that are distrusted are asked for again at once, whatever was asked before', async () => {
  const { types } = await start();
  const earlier = types(POOL, signal);
  types.distrust();
  served = true;
  const later = types(POOL, signal);
  await Promise.all([earlier, later]);
  expect((await later).find(POOL)).toBeDefined();
  expect((await types(POOL, signal)).find(POOL)).toBeDefined();
});
