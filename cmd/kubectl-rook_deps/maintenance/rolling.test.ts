import { describe, expect, test } from 'vitest';
import type { KubeObject } from '#pkg/object';
import { fakeIo, type FakeIo } from '#test/fakes/io.ts';
import { toolsIn } from '#test/fakes/maintenance-tools.ts';
import { aRequest, aWorkload, MaintenanceWorld, nodeOf } from '#test/fakes/maintenance-world.ts';
import { Args } from '../args.ts';
import { startRolling } from './rolling.ts';
import type { StartOrders } from './start.ts';

const NODES = ['node-x', 'node-y', 'node-z'];
const ORDERS: StartOrders = {
  reason: undefined,
  duration: undefined,
  noDrain: false,
  force: false,
  wait: false,
  limitMs: Infinity,
  dryRun: 'none',
};
const MINUTE_MS = 60_000;

/** All storage nodes can go: the operator is elsewhere. */
function aWorld(...objects: readonly KubeObject[]): MaintenanceWorld {
  const parts = { namespace: 'rook-ceph', labels: { app: 'rook-ceph-operator' } };
  return new MaintenanceWorld(aWorkload('operator', 'node-w', parts), ...objects);
}

type Said = FakeIo & { readonly code: number };
type Meanwhile = (said: FakeIo, abort: AbortController) => Promise<void> | void;

async function roll(
  world: MaintenanceWorld,
  orders: Partial<StartOrders>,
  meanwhile: Meanwhile,
  names: readonly string[] = NODES,
): Promise<Said> {
  const io = fakeIo({ now: world.clock.now });
  const abort = new AbortController();
  const nodes = names.map((name) => world.node(name)).filter((node): node is KubeObject => !!node);
  const tools = toolsIn(world, () => meanwhile(io, abort));
  const context = { args: new Args([], { yes: true }), io };
  return { ...io, code: await startRolling(nodes, { ...ORDERS, ...orders }, tools, context, abort.signal) };
}

/** Stops whatever can be powered off, after a while; the nodes in the order of their turns. */
function people(world: MaintenanceWorld, workMs = 0): { readonly turns: string[]; work(): Promise<void> } {
  const turns: string[] = [];
  const { signal } = new AbortController();
  return {
    turns,
    async work() {
      const ready = (await world.commandLedger.all(signal)).filter(({ status }) => status.phase === 'Ready');
      for (const { request } of ready) {
        turns.push(request.node);
        world.clock.jump(workMs);
        await world.stop(request.node);
      }
    },
  };
}

/** The most zones that were short of OSDs at the same time. */
function watchZones(world: MaintenanceWorld): { most: number } {
  const seen = { most: 0 };
  world.onChange = () => {
    const down = [0, 1, 2, 3, 4, 5].filter((id) => !world.up.has(id));
    seen.most = Math.max(seen.most, new Set(down.map((id) => nodeOf(id).slice(0, 6))).size);
  };
  return seen;
}

test('one failure domain after the other is taken in order, and never two', async () => {
  const world = aWorld();
  const before = world.traces;
  const { turns, work } = people(world);
  const zones = watchZones(world);
  const said = await roll(world, {}, work);
  expect(said.code).toBe(0);
  expect(turns).toEqual(NODES);
  expect(zones.most).toBe(1);
  expect(world.traces).toEqual(before);
  expect(said.err()).toContain('2  zone zone-y: node-y\n');
});

test('nodes of one failure domain are out of service together', async () => {
  const world = aWorld();
  world.move(1, 'node-x2');
  const together: string[] = [];
  const { turns, work } = people(world);
  const zones = watchZones(world);
  const meanwhile: Meanwhile = async (io) => {
    if (!io.err().includes('Do your work on node-x2') && turns.length === 0) return;
    together.push(...world.evicted);
    await work();
  };
  const said = await roll(world, {}, meanwhile, ['node-x', 'node-x2', 'node-y']);
  expect(said.code).toBe(0);
  expect(together.slice(0, 2)).toEqual(['rook-ceph-osd-0-pod', 'rook-ceph-osd-1-pod']);
  expect(turns).toEqual(['node-x', 'node-x2', 'node-y']);
  expect(zones.most).toBe(1);
});

describe('nothing is changed', () => {
  test('while something is in the way of the first', async () => {
    const world = aWorld();
    world.flags = ['noout'];
    const before = world.traces;
    const said = await roll(world, {}, () => undefined);
    expect(said.code).toBe(1);
    expect(said.err()).toMatch(/In the way:\n {2}somebody has set noout[^]*so nothing was changed\n$/);
    expect(world.traces).toEqual(before);
    expect(world.cluster.writes).toEqual([]);
  });

  test.for(['client', 'server'] as const)('with --dry-run=%s', async (dryRun) => {
    const world = aWorld();
    const before = world.traces;
    const said = await roll(world, { dryRun }, () => undefined);
    expect(said.code).toBe(0);
    expect(world.traces).toEqual(before);
    const [plan, result] = dryRun === 'client' ? [said.out(), ''] : [said.err(), said.out()];
    for (const node of NODES) expect(plan).toContain(`Node ${node} will be cordoned.`);
    const cordoned = NODES.filter((node) => result.includes(`node/${node} cordoned (server dry run)`));
    expect(cordoned).toEqual(dryRun === 'server' ? NODES : []);
    expect(world.rehearsed).toHaveLength(dryRun === 'server' ? 6 : 0);
  });
});

test('what is in the way of a later node is told in the plan, and waited for in its turn', async () => {
  const labels = { 'rook-deps.io/in-use': 'true' };
  const world = aWorld(aWorkload('web', 'node-y', { labels }));
  const { turns, work } = people(world);
  let isMended = false;
  const said = await roll(world, {}, async (io) => {
    await work();
    if (isMended || !io.err().includes('node-y waits: pod/web is protected')) return;
    isMended = true;
    world.cluster.put(aWorkload('web', 'node-y'));
  });
  expect(said.code).toBe(0);
  expect(turns).toEqual(NODES);
  expect(said.err()).toContain('What is in the way of node-y is looked at again');
});

test('the next begins only when the data of the one before is whole again', async () => {
  const world = aWorld();
  const { turns, work } = people(world);
  let looks = 0;
  const said = await roll(world, {}, async (io) => {
    await work();
    if (turns.length === 1 && looks === 0) world.recovering.add('1.0');
    if (io.err().includes('node-y waits: not all placement groups are clean')) looks += 1;
    if (looks === 3) world.recovering.clear();
    if (looks > 0 && looks < 3) expect(world.isCordoned('node-y')).toBe(false);
  });
  expect(said.code).toBe(0);
  expect(looks).toBeGreaterThanOrEqual(3);
});

describe('--timeout', () => {
  /** A budget that holds a pod of each node for some time. */
  function held(forMs: number): { readonly world: MaintenanceWorld; readonly release: () => void } {
    const pods = NODES.map((node) => aWorkload(`web-of-${node}`, node));
    const world = aWorld(...pods);
    const since = new Map<string, number>();
    for (const node of NODES) world.holds.set(`web-of-${node}`, 'a budget');
    const release = (): void => {
      for (const node of NODES) {
        if (!world.isCordoned(node)) continue;
        if (!since.has(node)) since.set(node, world.clock.now());
        if (world.clock.now() - (since.get(node) ?? 0) >= forMs) world.holds.delete(`web-of-${node}`);
      }
    };
    return { world, release };
  }

  test('counts for each node anew, and not while people work', async () => {
    const { world, release } = held(40_000);
    const { turns, work } = people(world, 10 * MINUTE_MS);
    const said = await roll(world, { limitMs: MINUTE_MS }, async () => {
      release();
      await work();
    });
    expect(said.code).toBe(0);
    expect(turns).toEqual(NODES);
  });

  test('ends a drain that takes longer, and says how to go on', async () => {
    const { world, release } = held(2 * MINUTE_MS);
    const said = await roll(world, { limitMs: MINUTE_MS, reason: "Ann's disk" }, release);
    expect(said.code).toBe(124);
    expect(said.err()).toContain(
      "To go on:   kubectl rook-deps maintenance start node-x node-y node-z --rolling --reason 'Ann'\\''s disk'\n" +
        'To go back: kubectl rook-deps maintenance stop node-x\n',
    );
  });

  test('ends the wait for the data of the one before', async () => {
    const world = aWorld();
    const { turns, work } = people(world);
    const said = await roll(world, { limitMs: MINUTE_MS }, async () => {
      await work();
      if (turns.length === 1) world.recovering.add('1.0');
    });
    expect(said.code).toBe(124);
    expect(said.err()).toContain('error: timed out; nothing was changed on node-y and node-z\n');
    expect(said.err()).toContain('maintenance start node-y node-z --rolling\n');
    expect(world.isCordoned('node-y')).toBe(false);
  });
});

test('what is under way is taken first', async () => {
  const world = aWorld(aWorkload('web', 'node-y'));
  world.holds.set('web', 'a budget');
  await world.start(aRequest({ node: 'node-y' }));
  world.holds.clear();
  const { turns, work } = people(world);
  const zones = watchZones(world);
  const said = await roll(world, {}, work);
  expect(said.code).toBe(0);
  expect(said.err()).toContain('node-y is in maintenance already (Draining); going on with it');
  expect(turns).toEqual(['node-y', 'node-x', 'node-z']);
  expect(zones.most).toBe(1);
});

test('one that is being stopped already is waited for', async () => {
  const world = aWorld();
  await world.start(aRequest({ node: 'node-y' }));
  const { signal } = new AbortController();
  const found = await world.commandLedger.find('node-y', signal);
  if (found) await world.commandLedger.stop(found, signal);
  const { turns, work } = people(world);
  const said = await roll(world, {}, async () => {
    await world.step('node-y');
    await work();
  });
  expect(said.code).toBe(0);
  expect(turns).toEqual(['node-x', 'node-z']);
});

describe('Ctrl-C', () => {
  const rows: readonly { name: string; when: RegExp; says: string; back: readonly string[] }[] = [
    {
      name: 'while pods go',
      when: /node-x: Draining/,
      says: 'the maintenance of node-x stays as it is, nothing was changed on node-y and node-z',
      back: ['node-x'],
    },
    {
      name: 'while people work',
      when: /waiting for "kubectl rook-deps maintenance stop node-x"/,
      says: 'the maintenance of node-x stays as it is, nothing was changed on node-y and node-z',
      back: ['node-x'],
    },
    {
      name: 'while the data comes back',
      when: /node-y waits/,
      says: 'nothing was changed on node-y and node-z',
      back: [],
    },
  ];

  test.for(rows)('$name says what is left and how to go on', async ({ when, says, back }) => {
    const world = aWorld();
    const { turns, work } = people(world);
    const said = await roll(world, {}, async (io, abort) => {
      if (when.test(io.err())) return abort.abort();
      if (io.err().includes('waiting for "kubectl')) await work();
      if (turns.length === 1) world.recovering.add('1.0');
    });
    expect(said.code).toBe(130);
    const left = back.length > 0 ? 'node-x node-y node-z' : 'node-y node-z';
    expect(said.err()).toContain(
      [
        `error: interrupted; ${says}`,
        `To go on:   kubectl rook-deps maintenance start ${left} --rolling`,
        ...back.map((node) => `To go back: kubectl rook-deps maintenance stop ${node}`),
        '',
      ].join('\n'),
    );
  });

  test('while it looks around has changed nothing', async () => {
    const world = aWorld();
    const io = fakeIo({ now: world.clock.now });
    const context = { args: new Args([], { yes: true }), io };
    const signal = AbortSignal.abort(new Error('SIGINT'));
    const node = world.node('node-x');
    world.cluster.before = () => signal.throwIfAborted();
    expect(await startRolling(node ? [node] : [], ORDERS, toolsIn(world), context, signal)).toBe(130);
    expect(io.err()).toBe('error: interrupted; nothing was changed\n');
    expect(world.cluster.writes).toEqual([]);
  });
});

describe('while people are at work', () => {
  /** The API server fails so often, and then no more. */
  async function failing(
    status: number,
    message: string,
    times: number,
  ): Promise<{ said: Awaited<ReturnType<typeof roll>>; failures: number }> {
    const world = aWorld();
    const { turns, work } = people(world);
    let failures = 0;
    const said = await roll(world, {}, async (io) => {
      world.cluster.before = () => undefined;
      if (turns.length === 0 && io.err().includes('waiting for "kubectl') && failures < times) {
        failures += 1;
        world.cluster.before = () => {
          throw Object.assign(new Error(message), { status });
        };
        return;
      }
      await work();
    });
    return { said, failures };
  }

  test('an API server that is away for a while ends nothing', async () => {
    const { said, failures } = await failing(0, 'connection refused', 5);
    expect(said.code).toBe(0);
    expect(failures).toBe(5);
    expect(said.err()).toContain('node-x: connection refused; trying again');
  });

  test('a refusal ends it at once, with the way on and the way back', async () => {
    const { said, failures } = await failing(403, 'no longer allowed', 5);
    expect(said.code).toBe(1);
    expect(failures).toBe(1);
    expect(said.err()).toContain('no longer allowed');
    expect(said.err()).not.toContain('trying again');
    expect(said.err()).toContain('To go back: kubectl rook-deps maintenance stop node-x');
  });
});
