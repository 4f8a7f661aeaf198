import { describe, expect, test } from 'vitest';
import { Kinds, type KubeObject } from '#pkg/object';
import { Refusal } from '#test/fakes/fake-cluster.ts';
import { fakeIo, type FakeIo } from '#test/fakes/io.ts';
import { toolsIn } from '#test/fakes/maintenance-tools.ts';
import { aRequest, aWorkload, MaintenanceWorld } from '#test/fakes/maintenance-world.ts';
import { anObject } from '#test/fixtures/objects.ts';
import { Args } from '../args.ts';
import { showStatus } from './show.ts';

const { signal } = new AbortController();
const NODE_X = { group: '', kind: 'Node', name: 'node-x' };
const resource = anObject(Kinds.NodeMaintenance, 'node-x', { uid: 'm', spec: { nodeName: 'node-x' } });

const lease = (now: number): KubeObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'rook-deps-system', name: 'rook-deps' },
  spec: { holderIdentity: 'c', leaseDurationSeconds: 15, renewTime: new Date(now).toISOString() },
});

interface Shown {
  readonly phase: string;
  readonly message: string;
  readonly blockedBy: readonly { readonly reason: string; readonly message: string }[];
  readonly drain?: { readonly pending: number };
  readonly clusters: readonly { readonly down: readonly number[] }[];
}

/** What `status node-x -o json` says. Nothing is changed by it. */
async function shown(world: MaintenanceWorld): Promise<Shown> {
  const io = fakeIo({ now: world.clock.now });
  const [traces, writes] = [world.traces, world.cluster.writes.length];
  const args = new Args([], {});
  expect(await showStatus('node-x', 'json', toolsIn(world), { args, io }, signal)).toBe(0);
  expect([world.traces, world.cluster.writes.length]).toEqual([traces, writes]);
  return (JSON.parse(io.out()) as { readonly status: Shown }).status;
}

const reasons = ({ blockedBy }: Shown): readonly string[] => blockedBy.map(({ reason }) => reason);

async function ready(): Promise<MaintenanceWorld> {
  const world = new MaintenanceWorld();
  expect((await world.start())?.status.phase).toBe('Ready');
  return world;
}

describe('a node that a command has drained', () => {
  test('is shown as ready while it is', async () => {
    const world = await ready();
    expect(await shown(world)).toMatchObject({
      phase: 'Ready',
      message: 'drained: the node can be powered off',
      blockedBy: [],
      clusters: [{ down: [0, 1] }],
    });
  });

  test('is not ready any more when somebody has uncordoned it', async () => {
    const world = await ready();
    world.cordon('node-x', false);
    const now = await shown(world);
    expect([now.phase, reasons(now)]).toEqual(['Draining', ['Uncordoned']]);
  });

  test('is not ready any more when pods came back', async () => {
    const world = await ready();
    world.cluster.put(aWorkload('web', 'node-x'));
    expect(await shown(world)).toMatchObject({
      phase: 'Draining',
      message: 'pods have to go',
      blockedBy: [],
      drain: { pending: 1 },
    });
  });

  test('is not ready any more when one of its OSDs is up again', async () => {
    const world = await ready();
    world.up.add(0);
    const now = await shown(world);
    expect([now.phase, reasons(now), now.clusters[0]?.down]).toEqual(['Draining', ['OsdUp'], [1]]);
  });

  test('has failed when it is gone, and nobody is promised that noout goes by itself', async () => {
    const world = await ready();
    world.cluster.drop(NODE_X);
    const now = await shown(world);
    expect([now.phase, reasons(now)]).toEqual(['Failed', ['NodeGone']]);
    expect(now.message).not.toContain('noout stays until');
  });

  test.for(['silent', 'without manager'] as const)(
    'is shown, and Ceph named, while that is %s',
    async (ceph) => {
      const world = await ready();
      world.ceph = ceph;
      const now = await shown(world);
      expect(now.phase).toBe('Ready');
      if (ceph === 'silent') expect(reasons(now)).toEqual(['CephSilent']);
    },
  );

  test('is shown as it was left, and why, to whoever may not see pods', async () => {
    const world = await ready();
    world.cluster.before = ({ verb, key }) => {
      if (verb === 'list' && key.includes('Pod')) throw new Refusal(403, 'Forbidden', 'pods is forbidden');
    };
    expect(await shown(world)).toMatchObject({
      phase: 'Ready',
      blockedBy: [{ reason: 'Unseen', message: 'how it is now could not be seen: pods is forbidden' }],
    });
  });

  test('and that has pods again is not ready for whoever may not see the rest either', async () => {
    const world = await ready();
    world.cluster.put(aWorkload('web', 'node-x'));
    world.cluster.before = ({ verb, key }) => {
      if (verb === 'list' && key.includes('CephCluster')) throw new Refusal(403, 'Forbidden');
    };
    const now = await shown(world);
    expect([now.phase, reasons(now), now.drain?.pending]).toEqual(['Draining', ['Unseen'], 1]);
  });
});

test('a drain that nobody goes on with says what holds it, as when it was last tried', async () => {
  const world = new MaintenanceWorld(aWorkload('web', 'node-x'));
  world.holds.set('web', 'a budget');
  await world.start();
  expect(await shown(world)).toMatchObject({
    phase: 'Draining',
    blockedBy: [{ reason: 'DisruptionBudget' }],
    drain: { pending: 3 },
  });
});

test('what was in the way is shown no more when it is gone', async () => {
  const world = new MaintenanceWorld();
  world.health = 'HEALTH_ERR';
  await world.start();
  expect(reasons(await shown(world))).toEqual(['HealthError']);
  world.health = 'HEALTH_OK';
  expect(await shown(world)).toMatchObject({
    phase: 'Pending',
    message: 'nothing is in the way any more',
    blockedBy: [],
  });
});

test('a stop that nobody goes on with says what is missing', async () => {
  const world = await ready();
  const found = await world.commandLedger.find('node-x', signal);
  if (found) await world.commandLedger.stop(found, signal);
  expect(await shown(world)).toMatchObject({ phase: 'Recovering', blockedBy: [] });
  world.live = () => undefined;
  await world.settle('node-x', 5);
  expect(reasons(await shown(world))).toEqual(['OsdDown']);
  world.clock.jump(31 * 60_000);
  world.up.add(0).add(1);
  world.recovering.add('1.1');
  expect(reasons(await shown(world))).toEqual(['Unclean']);
});

describe('a NodeMaintenance', () => {
  async function uncordoned(): Promise<MaintenanceWorld> {
    const world = new MaintenanceWorld();
    world.cluster.put(resource);
    for (let turn = 0; turn < 12; turn += 1) await world.reconcile();
    world.cordon('node-x', false);
    return world;
  }

  test('is as its controller says, while that lives', async () => {
    const world = await uncordoned();
    world.cluster.put(lease(world.clock.now()));
    expect((await shown(world)).phase).toBe('Ready');
  });

  test('is looked at when its controller is dead', async () => {
    const world = await uncordoned();
    world.cluster.put(lease(world.clock.now() - 3_600_000));
    expect(reasons(await shown(world))).toEqual(['Uncordoned']);
  });
});

describe('status -w', () => {
  /** Watches until it ends; what happens before each look is up to the test. */
  async function watched(
    world: MaintenanceWorld,
    turns: readonly (() => Promise<unknown> | void)[],
    { node, format }: { readonly node?: string; readonly format?: string } = { node: 'node-x' },
  ): Promise<FakeIo> {
    const io = fakeIo({ now: world.clock.now });
    const tools = toolsIn(world);
    const left = [...turns];
    const clock = {
      now: world.clock.now,
      sleep: async (ms: number) => {
        world.clock.jump(ms);
        const turn = left.shift();
        if (!turn) throw new Error('watched for too long');
        await turn();
      },
    };
    const args = new Args([], { watch: true });
    const patient = { ...tools, ports: { ...tools.ports, clock } };
    await showStatus(node, format, patient, { args, io }, signal).catch((error: unknown) => {
      if (left.length > 0 || node !== undefined) throw error;
    });
    return io;
  }

  const idle = (): void => undefined;
  const lines = (io: FakeIo): readonly string[] => io.out().trimEnd().split('\n');

  test('tells of each change once, and ends with the maintenance of the node', async () => {
    const world = new MaintenanceWorld(aWorkload('web', 'node-x'));
    world.holds.set('web', 'a budget');
    await world.start();
    const io = await watched(world, [
      idle,
      async () => {
        world.holds.clear();
        await world.settle();
      },
      idle,
      () => world.stop(),
    ]);
    expect(lines(io).map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
      ['NODE', 'PHASE'],
      ['node-x', 'Draining'],
      ['node-x', 'Ready'],
      ['node-x is out of maintenance'],
    ]);
  });

  test('tells of what nobody writes down, and asks Ceph now and then only', async () => {
    const world = await ready();
    let asked = 0;
    const { cephOf } = world.ports;
    Object.defineProperty(world, 'ports', {
      value: { ...world.ports, cephOf: (cluster: KubeObject) => ((asked += 1), cephOf(cluster)) },
    });
    const turns = [...Array.from({ length: 6 }, () => idle), () => world.cordon('node-x', false)];
    const io = await watched(world, [...turns, ...Array.from({ length: 5 }, () => idle), () => world.stop()]);
    expect(lines(io).map((line) => line.split(/ {2,}/)[1] ?? line)).toEqual([
      'PHASE',
      'Ready',
      'Draining',
      'node-x is out of maintenance',
    ]);
    expect(asked).toBeLessThanOrEqual(6);
  });

  test('prints a document for each change where data is wanted, and nothing else', async () => {
    const world = await ready();
    const turns = [
      () => world.start(aRequest({ node: 'node-y', force: true })),
      () => world.stop('node-y'),
      idle,
    ];
    const io = await watched(world, turns, { format: 'json' });
    const documents = io
      .out()
      .trimEnd()
      .split(/(?<=^\})\n/m)
      .map((text) => JSON.parse(text) as KubeObject);
    expect(documents.map(({ kind, metadata }) => `${kind} ${metadata?.name ?? ''}`)).toEqual([
      'List ',
      'NodeMaintenance node-y',
    ]);
    expect(io.err()).toContain('node-y is out of maintenance');
  });
});
