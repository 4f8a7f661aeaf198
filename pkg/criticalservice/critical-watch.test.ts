import { expect, test } from 'vitest';
import { silentLogger } from '#pkg/log';
import { KNOWN_TYPES, ResourceTypes } from '#pkg/object';
import { serviceObject } from '#test/fakes/critical-world.ts';
import { FakeClock, settle } from '#test/fakes/fake-clock.ts';
import { FakeWatcher } from '#test/fakes/fake-watcher.ts';
import { CriticalWatch } from './critical-watch.ts';

const SERVICE = serviceObject({}, { uid: 'u', resourceVersion: '2' });

test('what a service names is watched from when it comes to when it goes, by its metadata alone', async () => {
  const watcher = new FakeWatcher();
  const clock = new FakeClock();
  const types = async (): Promise<ResourceTypes> => new ResourceTypes(KNOWN_TYPES);
  const watch = new CriticalWatch(
    { watcher, clock, logger: silentLogger, random: () => 0.5, types },
    () => undefined,
  );
  const open = (): readonly string[] =>
    watcher.watches
      .filter(({ isClosed }) => !isClosed)
      .map(({ request: { kind, detail } }) => `${kind.kind} ${detail}`)
      .toSorted();
  const stop = new AbortController();
  const running = watch.run(stop.signal);
  const settled = async (): Promise<void> => {
    await settle();
    await clock.advance(1_100);
    await settle();
  };
  await settled();
  expect(open()).toEqual(['CriticalService object']);

  const [services] = watcher.watches;
  services?.endOfInitial('1');
  services?.added(SERVICE);
  await settled();
  expect(open()).toEqual([
    'CephBlockPool metadata',
    'CriticalService object',
    'CustomResourceDefinition metadata',
    'Deployment metadata',
    'Namespace metadata',
  ]);

  const { metadata } = SERVICE;
  services?.send({
    kind: 'deleted',
    object: { ...SERVICE, metadata: { ...metadata, resourceVersion: '3' } },
  });
  await settled();
  expect(open()).toEqual(['CriticalService object']);
  stop.abort(new Error('end of test'));
  await running;
});
