import { expect, test } from 'vitest';
import { silentLogger } from '#pkg/log';
import { KNOWN_TYPES, ResourceTypes } from '#pkg/object';
import { serviceObject } from '#test/fakes/critical-world.ts';
import { FakeClock, settle } from '#test/fakes/fake-clock.ts';
import { FakeWatcher } from '#test/fakes/fake-watcher.ts';
import { CriticalWatch } from './critical-watch.ts';

const SERVICE = serviceObject({}, { uid: 'u', resourceVersion: '2' });

/** A watch that runs, and what it has open. */
function running(types: () => ResourceTypes = () => new ResourceTypes(KNOWN_TYPES)) {
  const watcher = new FakeWatcher();
  const clock = new FakeClock();
  const turns: string[] = [];
  const watch = new CriticalWatch(
    { watcher, clock, logger: silentLogger, random: () => 0.5, types: async () => types() },
    ({ name }) => turns.push(name),
  );
  const stop = new AbortController();
  const end = watch.run(stop.signal);
  const ended = async (): Promise<void> => {
    stop.abort(new Error('end of test'));
    await end;
  };
  const settled = async (): Promise<void> => {
    await settle();
    await clock.advance(1_100);
    await settle();
  };
  return { watcher, watch, turns, settled, ended };
}

test('what a service names is watched from when it comes to when it goes, by its metadata alone', async () => {
  const { watcher, settled, ended } = running();
  const open = (): readonly string[] =>
    watcher.watches
      .filter(({ isClosed }) => !isClosed)
      .map(({ request: { kind, detail } }) => `${kind.kind} ${detail}`)
      .toSorted();
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
  await ended();
});

test.for(['gadgetries', 'Gadget'])(
  '%s that are defined and not served are not known to be gone',
  async (resource) => {
    const { watcher, watch, turns, settled, ended } = running();
    const finalizer = { group: 'a.example', resource, finalizerName: 'f' };
    const state = (): string => watch.standing({ type: 'Finalizer', ...finalizer }).state;
    await settled();
    const [services] = watcher.watches;
    services?.endOfInitial('1');
    services?.added(
      serviceObject({ criteria: [{ type: 'Finalizer', finalizer }] }, { uid: 'u', resourceVersion: '2' }),
    );
    await settled();
    // No look is due any more.
    for (let looks = 0; looks < 3; looks += 1) await settled();
    expect(state()).toBe('unknown');
    const definitions = watcher.watches.find(
      ({ request }) => request.kind.kind === 'CustomResourceDefinition',
    );
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gadgetries.a.example', uid: 'd', resourceVersion: '2' },
    };
    turns.length = 0;
    definitions?.endOfInitial('1');
    await settled();
    expect([state(), ...turns]).toEqual(['met', 'service']);
    turns.length = 0;
    definitions?.added(definition);
    await settled();
    expect([state(), ...turns]).toEqual(['unknown', 'service']);
    turns.length = 0;
    const metadata = { ...definition.metadata, resourceVersion: '3' };
    definitions?.send({ kind: 'deleted', object: { ...definition, metadata } });
    await settled();
    expect([state(), ...turns]).toEqual(['met', 'service']);
    await ended();
  },
);
