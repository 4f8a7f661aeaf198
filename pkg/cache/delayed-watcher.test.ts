import { expect, test } from 'vitest';
import { Kinds } from '#pkg/object';
import { FakeClock, settle } from '#test/fakes/fake-clock.ts';
import { FakeWatcher } from '#test/fakes/fake-watcher.ts';
import { delayedWatcher } from './delayed-watcher.ts';

test('changes come late, what existed before does not', async () => {
  const clock = new FakeClock();
  const watcher = new FakeWatcher();
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };
  watcher.onWatch = (watch) => {
    watch.added(object);
    watch.endOfInitial('5');
    watch.added(object);
    watch.end();
  };
  const request = {
    kind: Kinds.ConfigMap,
    detail: 'object',
    sendInitialEvents: true,
    timeoutSeconds: 9,
  } as const;
  const seen: string[] = [];
  const delayed = delayedWatcher(watcher, clock, () => 1000);
  const reading = (async () => {
    for await (const { kind } of delayed.watch(request, new AbortController().signal)) seen.push(kind);
  })();
  await settle();
  expect(seen).toEqual(['opened', 'added', 'bookmark']);
  await clock.advance(999);
  expect(seen).toHaveLength(3);
  await clock.advance(1);
  await reading;
  expect(seen.at(-1)).toBe('added');
});
