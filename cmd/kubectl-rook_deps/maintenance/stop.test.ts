import { describe, expect, test } from 'vitest';
import { Kinds, refOf, type KubeObject } from '#pkg/object';
import { fakeIo, type FakeIo } from '#test/fakes/io.ts';
import { toolsIn } from '#test/fakes/maintenance-tools.ts';
import { MaintenanceWorld } from '#test/fakes/maintenance-world.ts';
import { anObject } from '#test/fixtures/objects.ts';
import type { DryRun } from '../dry-run.ts';
import { stopNode } from './stop.ts';

const { signal } = new AbortController();
const resource = anObject(Kinds.NodeMaintenance, 'node-x', { uid: 'm', spec: { nodeName: 'node-x' } });

const lease = (now: number): KubeObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'rook-deps-system', name: 'rook-deps' },
  spec: { holderIdentity: 'c', leaseDurationSeconds: 15, renewTime: new Date(now).toISOString() },
});

async function maintained(): Promise<MaintenanceWorld> {
  const world = new MaintenanceWorld();
  world.cluster.put(resource);
  for (let turn = 0; turn < 12; turn += 1) await world.reconcile();
  return world;
}

async function stop(
  world: MaintenanceWorld,
  { dryRun = 'none', wait = true }: { readonly dryRun?: DryRun; readonly wait?: boolean } = {},
): Promise<FakeIo & { readonly code: number }> {
  const io = fakeIo({ now: world.clock.now });
  const orders = { wait, limitMs: Infinity, dryRun };
  return { ...io, code: await stopNode('node-x', orders, toolsIn(world), io, signal) };
}

describe.for(['client', 'server'] as const)('with --dry-run=%s', (dryRun) => {
  test('nothing of a NodeMaintenance is taken back, and it is told what would be', async () => {
    const world = await maintained();
    const before = world.traces;
    const said = await stop(world, { dryRun });
    expect(said.out()).toMatch(
      /deleted \(.*dry run\)\nnode\/node-x uncordoned .*\nnoout taken off osd\.0,osd\.1 /,
    );
    expect(world.traces).toEqual(before);
    const deletions = world.cluster.writes.filter(({ verb }) => verb === 'delete');
    expect(deletions).toHaveLength(dryRun === 'server' ? 1 : 0);
  });

  test('nothing of what a command did is taken back', async () => {
    const world = new MaintenanceWorld();
    await world.start();
    const before = world.traces;
    expect((await stop(world, { dryRun })).out()).toContain('node/node-x uncordoned');
    expect(world.traces).toEqual(before);
  });
});

test('without a living controller the command itself takes a NodeMaintenance back', async () => {
  const before = new MaintenanceWorld().traces;
  const world = await maintained();
  const said = await stop(world, { wait: false });
  expect(said.code).toBe(0);
  expect(said.err()).toContain('so this command does');
  expect(said.out()).toContain('node/node-x out of maintenance');
  expect(world.traces).toEqual(before);
});

test('a controller that dies meanwhile is noticed, and the command goes on in its place', async () => {
  const before = new MaintenanceWorld().traces;
  const world = await maintained();
  world.cluster.put(lease(world.clock.now()));
  const said = await stop(world);
  expect(said.code).toBe(0);
  expect(said.err()).toContain('so this command does');
  world.cluster.drop({ ...refOf(lease(0)) });
  expect(world.traces).toEqual(before);
});

test('with a living controller the command leaves the NodeMaintenance to it', async () => {
  const world = await maintained();
  world.cluster.put(lease(world.clock.now()));
  expect((await stop(world, { wait: false })).code).toBe(0);
  expect(world.isCordoned('node-x')).toBe(true);
  expect(world.cluster.at(refOf(resource))?.metadata.deletionTimestamp).toBeDefined();
});

test('a stop of a NodeMaintenance does not wait for what a command does on the same node', async () => {
  const world = new MaintenanceWorld();
  await world.start();
  world.cluster.put(resource);
  world.cluster.put(lease(world.clock.now()));
  expect((await stop(world)).out()).toContain('node/node-x out of maintenance');
});
