import { describe, expect, test } from 'vitest';
import { Kinds, refOf, textAt, type KubeObject } from '#pkg/object';
import { fakeIo, type FakeIo } from '#test/fakes/io.ts';
import { toolsIn } from '#test/fakes/maintenance-tools.ts';
import { aWorkload, MaintenanceWorld } from '#test/fakes/maintenance-world.ts';
import { anObject } from '#test/fixtures/objects.ts';
import { Args } from '../args.ts';
import { startNode, type StartOrders } from './start.ts';

const { signal } = new AbortController();
const ORDERS: StartOrders = {
  reason: undefined,
  duration: undefined,
  noDrain: false,
  force: false,
  wait: true,
  limitMs: Infinity,
  dryRun: 'none',
};

async function start(
  world: MaintenanceWorld,
  orders: Partial<StartOrders> = {},
  meanwhile: () => Promise<void> | void = () => undefined,
): Promise<FakeIo & { readonly code: number }> {
  const io = fakeIo({ now: world.clock.now });
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-x' } };
  const context = { args: new Args([], { yes: true }), io };
  const tools = toolsIn(world, meanwhile);
  return { ...io, code: await startNode(node, { ...ORDERS, ...orders }, tools, context, signal) };
}

test('a start of what is under way says which flags it does not heed', async () => {
  const world = new MaintenanceWorld();
  await world.start();
  const said = await start(world, { duration: '2h', force: true });
  expect(said.code).toBe(0);
  expect(said.err()).toContain('without --duration, --force: stop it first');
});

test('that a node is ready is told at once', async () => {
  const world = new MaintenanceWorld();
  const began = world.clock.now();
  expect((await start(world)).code).toBe(0);
  expect(world.clock.now() - began).toBeLessThan(10_000);
});

test('a start that takes longer than it may ends, and says how to go on', async () => {
  const world = new MaintenanceWorld(aWorkload('web', 'node-x'));
  world.holds.set('web', 'a budget');
  const said = await start(world, { limitMs: 60_000 });
  expect(said.code).toBe(124);
  expect(said.err()).toContain(
    'error: timed out; the maintenance of node-x stays as it is\n' +
      'To go on:   kubectl rook-deps maintenance start node-x\n' +
      'To go back: kubectl rook-deps maintenance stop node-x\n',
  );
});

describe('a NodeMaintenance', () => {
  const resource = anObject(Kinds.NodeMaintenance, 'node-x', { uid: 'm', spec: { nodeName: 'node-x' } });
  const phase = (world: MaintenanceWorld): string | undefined =>
    textAt(world.cluster.at(refOf(resource)), 'status', 'phase');
  const lease = (now: number): KubeObject => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'rook-deps-system', name: 'rook-deps' },
    spec: { holderIdentity: 'c', leaseDurationSeconds: 15, renewTime: new Date(now).toISOString() },
  });

  test('without a living controller is carried out by the command, which holds it first', async () => {
    const world = new MaintenanceWorld();
    world.cluster.put(resource);
    const said = await start(world, { wait: false });
    expect(said.code).toBe(0);
    expect(said.err()).toContain('Warning: no controller is running that would carry the maintenance out');
    expect(phase(world)).toBe('Ready');
    const [first] = world.cluster.writes;
    expect(first?.body).toMatchObject({ metadata: { finalizers: ['rook-deps.io/maintenance'] } });
    expect(world.isCordoned('node-x')).toBe(true);
  });

  test('is left to a controller that comes back', async () => {
    const world = new MaintenanceWorld(aWorkload('web', 'node-x'));
    world.cluster.put(resource);
    world.holds.set('web', 'a budget');
    const began = world.clock.now();
    let turns = 0;
    const said = await start(world, {}, async () => {
      const passedMs = world.clock.now() - began;
      if (passedMs > 30_000) world.cluster.put(lease(world.clock.now()));
      if (passedMs < 90_000) return;
      world.holds.clear();
      turns += 1;
      if (turns >= 20) await world.reconcile();
    });
    // Before that it only looked on.
    expect(turns).toBeGreaterThan(20);
    expect(said.err()).toContain('so this command does');
    expect(said.code).toBe(0);
    expect(phase(world)).toBe('Ready');
  });

  test('with a living controller is only looked at', async () => {
    const world = new MaintenanceWorld();
    world.cluster.put(resource);
    world.cluster.put(lease(world.clock.now()));
    const said = await start(world, { wait: false });
    expect(said.code).toBe(0);
    expect(world.cluster.writes).toEqual([]);
  });
});
