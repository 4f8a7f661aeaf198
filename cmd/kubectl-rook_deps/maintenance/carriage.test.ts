import { describe, expect, test } from 'vitest';
import { CephSilent } from '#pkg/ceph';
import { Kinds, type KubeObject } from '#pkg/object';
import { Refusal } from '#test/fakes/fake-cluster.ts';
import { fakeIo, type FakeIo } from '#test/fakes/io.ts';
import { toolsIn } from '#test/fakes/maintenance-tools.ts';
import { MaintenanceWorld } from '#test/fakes/maintenance-world.ts';
import { anObject } from '#test/fixtures/objects.ts';
import { Args } from '../args.ts';
import { startNode } from './start.ts';

const { signal } = new AbortController();
const NODE = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-x' } };
const ORDERS = { reason: undefined, duration: undefined, noDrain: false, force: false } as const;

type Said = FakeIo & { readonly code: number };

async function start(world: MaintenanceWorld, limitMs = Infinity): Promise<Said> {
  const io = fakeIo({ now: world.clock.now });
  const orders = { ...ORDERS, wait: true, limitMs, dryRun: 'none' } as const;
  const context = { args: new Args([], { yes: true }), io };
  return { ...io, code: await startNode(NODE, orders, toolsIn(world), context, signal) };
}

/** The server fails this often, at each call that fits, once something is written down. */
function failing(world: MaintenanceWorld, error: Error, times: number, fits: RegExp): { count: number } {
  const failed = { count: 0 };
  let hasBegun = false;
  world.cluster.before = ({ verb, key }) => {
    const isBeginning = verb === 'create';
    hasBegun ||= isBeginning;
    if (!hasBegun || isBeginning || failed.count >= times || !fits.test(`${verb} ${key}`)) return;
    failed.count += 1;
    throw error;
  };
  return failed;
}

describe('a drain that a command carries out goes on', () => {
  test.for([
    { name: 'after the server could not be reached', error: new Refusal(0, '', 'connection refused') },
    { name: 'after the server was busy', error: new Refusal(429, 'TooManyRequests', 'slow down') },
    { name: 'after the server was in trouble', error: new Refusal(503, 'ServiceUnavailable', 'no leader') },
  ])('$name', async ({ error }) => {
    const world = new MaintenanceWorld();
    const failed = failing(world, error, 5, /^get .*Node/);
    const began = world.clock.now();
    const said = await start(world);
    expect([said.code, failed.count]).toEqual([0, 5]);
    expect(said.err()).toContain(`it failed: ${error.message}; trying again`);
    // Each pause is longer than the one before.
    expect(world.clock.now() - began).toBeGreaterThan(1000 + 2000 + 4000 + 8000 + 16_000);
  });

  test('after Ceph was silent while a flag was set', async () => {
    const world = new MaintenanceWorld();
    let isSilent = true;
    world.onChange = (when, what) => {
      if (!isSilent || when !== 'before' || what !== 'set noout osd.1') return;
      isSilent = false;
      throw new CephSilent('no answer');
    };
    const said = await start(world);
    expect([said.code, isSilent, [...world.noout]]).toEqual([0, false, [0, 1]]);
    expect(said.err()).toContain('no answer; trying again');
  });
});

test('a server that stays silent is waited for until the time is over', async () => {
  const world = new MaintenanceWorld();
  failing(world, new Refusal(0, '', 'connection refused'), Infinity, /Node/);
  expect((await start(world, 600_000)).code).toBe(124);
});

test.for([
  { reason: 'Forbidden', status: 403 },
  { reason: 'NotFound', status: 404 },
  { reason: 'Invalid', status: 422 },
])('a refusal ends a drain at once: $reason', async ({ reason, status }) => {
  const world = new MaintenanceWorld();
  const failed = failing(world, new Refusal(status, reason, 'no'), Infinity, /patch .*Node/);
  const said = await start(world);
  expect([said.code, failed.count]).toEqual([1, 1]);
  expect(said.err()).toContain('error: it could not go on');
});

test('whoever looks on while a controller works is patient, too', async () => {
  const world = new MaintenanceWorld();
  world.cluster.put(anObject(Kinds.NodeMaintenance, 'node-x', { uid: 'm', spec: { nodeName: 'node-x' } }));
  const lease = (): KubeObject => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'rook-deps-system', name: 'rook-deps' },
    spec: {
      holderIdentity: 'c',
      leaseDurationSeconds: 15,
      renewTime: new Date(world.clock.now()).toISOString(),
    },
  });
  world.cluster.put(lease());
  const io = fakeIo({ now: world.clock.now });
  let turns = 0;
  const tools = toolsIn(world, async () => {
    turns += 1;
    world.cluster.put(lease());
    world.cluster.before = () => undefined;
    await world.reconcile();
    if (turns !== 3) return;
    world.cluster.before = () => {
      throw new Refusal(503, 'ServiceUnavailable', 'no leader');
    };
  });
  const orders = { ...ORDERS, wait: true, limitMs: Infinity, dryRun: 'none' } as const;
  const context = { args: new Args([], { yes: true }), io };
  expect(await startNode(NODE, orders, tools, context, signal)).toBe(0);
  expect(io.err()).toContain('no leader; trying again');
});
