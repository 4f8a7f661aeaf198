import { expect, test } from 'vitest';
import { aRequest, aWorkload, MaintenanceWorld } from '#test/fakes/maintenance-world.ts';

const { signal } = new AbortController();

async function waits(world: MaintenanceWorld, count: number): Promise<readonly (number | undefined)[]> {
  const all: (number | undefined)[] = [];
  for (let at = 0; at < count; at += 1) {
    const result = await world.step();
    all.push(result?.kind === 'again' ? result.afterMs : undefined);
  }
  return all;
}

test('Ceph is asked soon after something came in the way, rarely while it stays, and soon when it is another', async () => {
  const world = new MaintenanceWorld();
  world.flags = ['norebalance'];
  await world.commandLedger.begin(aRequest(), signal);
  expect(await waits(world, 3)).toEqual([2000, 10_000, 10_000]);
  world.flags = ['norebalance', 'nobackfill'];
  expect(await waits(world, 2)).toEqual([2000, 10_000]);
  world.flags = [];
  expect((await waits(world, 1))[0]).toBe(0);
});

test('a drain that has begun is looked at as often as before, whatever holds it', async () => {
  const world = new MaintenanceWorld(aWorkload('web', 'node-x'));
  await world.commandLedger.begin(aRequest(), signal);
  while (!world.isCordoned('node-x')) await world.step();
  world.flags = ['norebalance'];
  const all = await waits(world, 6);
  expect(all).not.toContain(10_000);
  expect(all.slice(-2)).toEqual([2000, 2000]);
});
