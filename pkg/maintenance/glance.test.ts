import { expect, test } from 'vitest';
import { MaintenanceWorld } from '#test/fakes/maintenance-world.ts';
import { glance } from './glance.ts';

const { signal } = new AbortController();

/** A Ceph that never answers, until nobody waits any more. */
async function glanceAtHanging(world: MaintenanceWorld, whole: AbortSignal): ReturnType<typeof glance> {
  const hangs = (_: unknown, limit: AbortSignal | undefined): Promise<never> =>
    new Promise((_resolve, reject) => {
      if (limit?.aborted) reject(limit.reason as Error);
      limit?.addEventListener('abort', () => reject(limit.reason as Error));
    });
  const client = new Proxy(
    {},
    {
      get:
        () =>
        (...args: readonly unknown[]) =>
          hangs(args, args.at(-1) as AbortSignal),
    },
  );
  const found = await world.commandLedger.find('node-x', signal);
  if (!found) throw new Error('there is none');
  return glance(found, { ...world.ports, cephOf: () => client as never, limitMs: 20 }, whole);
}

test('a look takes no longer than it may, and says what it did not see', async () => {
  const world = new MaintenanceWorld();
  await world.start();
  const { status } = await glanceAtHanging(world, signal);
  expect(status).toMatchObject({
    phase: 'Ready',
    blockedBy: [{ reason: 'Unseen', message: 'how it is now could not be seen: no answer within 0.02 s' }],
  });
});

test('a look ends when nobody wants it any more', async () => {
  const world = new MaintenanceWorld();
  await world.start();
  const stopped = AbortSignal.abort(new Error('interrupted'));
  await expect(glanceAtHanging(world, stopped)).rejects.toThrow('interrupted');
});
