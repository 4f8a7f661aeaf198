import { expect, test } from 'vitest';
import { fakeIo } from '#test/fakes/io.ts';
import { toolsIn } from '#test/fakes/maintenance-tools.ts';
import { MaintenanceWorld } from '#test/fakes/maintenance-world.ts';
import { startNode } from './start.ts';

const { signal } = new AbortController();

test('a start of what is under way says which flags it does not heed', async () => {
  const world = new MaintenanceWorld();
  await world.start();
  const io = fakeIo({ now: world.clock.now });
  const orders = {
    reason: undefined,
    duration: '2h',
    noDrain: false,
    force: true,
    wait: true,
    deadlineMs: Infinity,
    dryRun: 'none',
  } as const;
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-x' } };
  const code = await startNode(node, orders, toolsIn(world), { args: undefined as never, io }, signal);
  expect(code).toBe(0);
  expect(io.err()).toContain('without --duration, --force: stop it first');
});
