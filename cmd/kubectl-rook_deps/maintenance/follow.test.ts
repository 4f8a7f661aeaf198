import { describe, expect, test } from 'vitest';
import { fakeIo, type FakeIo } from '#test/fakes/io.ts';
import { toolsIn } from '#test/fakes/maintenance-tools.ts';
import { MaintenanceWorld } from '#test/fakes/maintenance-world.ts';
import { stopNode } from './stop.ts';

const { signal } = new AbortController();

type Said = FakeIo & { readonly code: number };

describe('a stop whose patience is over', () => {
  /** Each wait takes minutes, and no OSD comes back by itself. */
  async function stopped(world: MaintenanceWorld, meanwhile: () => void, limitMs = Infinity): Promise<Said> {
    world.live = () => undefined;
    const io = fakeIo({ now: world.clock.now });
    const tools = toolsIn(world, () => {
      world.clock.jump(120_000);
      meanwhile();
    });
    const orders = { wait: true, limitMs, dryRun: 'none' } as const;
    return { ...io, code: await stopNode('node-x', orders, tools, io, signal) };
  }

  test('says what has not come back, and is no success', async () => {
    const world = new MaintenanceWorld();
    await world.start();
    const said = await stopped(world, () => undefined);
    const lack = 'given up after 30 minutes: waiting for osd.0 and osd.1 to come up';
    expect([said.code, said.out(), said.err()]).toEqual([
      1,
      'node/node-x out of maintenance\n',
      expect.stringContaining(`error: ${lack}\n`),
    ]);
    expect(world.notes.at(-1)).toContain(lack);
    expect([...world.noout]).toEqual([]);
  });

  test('is one when all is back at last', async () => {
    const world = new MaintenanceWorld();
    await world.start();
    const endMs = world.clock.now() + 30 * 60_000;
    const said = await stopped(world, () => void (world.clock.now() > endMs && world.up.add(0).add(1)));
    expect([said.code, world.notes.at(-1)]).toEqual([0, expect.stringContaining('nothing of it is left')]);
  });

  test('ends earlier, as it is, when it was given less time', async () => {
    const world = new MaintenanceWorld();
    await world.start();
    const said = await stopped(world, () => undefined, 600_000);
    expect(said.code).toBe(124);
    expect(said.err()).toContain('To go on:   kubectl rook-deps maintenance stop node-x\n');
    expect([...world.noout]).toEqual([0, 1]);
  });
});
