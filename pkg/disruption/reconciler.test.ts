import { describe, expect, test } from 'vitest';
import { cephClient, type Ceph } from '#pkg/ceph';
import type { Clock } from '#pkg/clock';
import {
  fieldAt,
  keyOf,
  refOf,
  structuredSelector,
  type KubeObject,
  type ObjectKey,
  type Writer,
} from '#pkg/object';
import type { Outcome } from '#pkg/runtime';
import { fakeRunner, type Reply } from '#test/fakes/ceph-runner.ts';
import { fakeReader } from '#test/fakes/reader.ts';
import { aCluster, aPool } from '#test/fixtures/objects.ts';
import { aNode, anOsd, type OsdParts } from '#test/fixtures/osds.ts';
import { disruptionReconciler } from './reconciler.ts';

const { signal } = new AbortController();
const REF = { group: 'ceph.rook.io', kind: 'CephCluster', namespace: 'rook-ceph', name: 'rook-ceph' };
const ZONES = ['x', 'y', 'z'];

/** A cluster of three zones, a node and an OSD in each, and a Ceph that tells what the test wants it to. */
class World {
  readonly objects = new Map<ObjectKey, KubeObject>();
  readonly writes: string[] = [];
  readonly told: string[] = [];
  /** Numbers of OSDs that Ceph calls down. */
  down: readonly number[] = [];
  state = 'active+clean';
  flags: Record<string, readonly string[]> = {};
  /** Over what the rule of the pool spreads copies. */
  type = 'zone';
  isSilent = false;
  /** Ceph's hierarchy does not say in which zone an OSD is. */
  isFlat = false;
  now = 1_000_000;
  /** Of the monitors a, b and c. */
  inQuorum = ['a', 'b', 'c'];
  /** Called before each question to Ceph. */
  beforeAnswer: (question: string) => void = () => undefined;
  /** Called before each write; what it throws ends the round. */
  beforeWrite: () => void = () => undefined;
  #rounds = disruptionReconciler({
    reader: {
      get: (...args) => fakeReader([...this.objects.values()]).get(...args),
      list: (...args) => fakeReader([...this.objects.values()]).list(...args),
    },
    writer: this.#writer(),
    cephOf: () => this.#ceph(),
    record: (object, reason) => {
      this.told.push(`${object.kind}/${object.metadata.name} ${reason}`);
      return Promise.resolve();
    },
    clock: this.#clock(),
    logger: SILENT,
  });

  constructor(management: object = {}) {
    const cluster = aCluster('rook-ceph', {
      uid: 'cluster',
      spec: { mon: { count: 1 }, mgr: { count: 1 }, disruptionManagement: management },
    });
    this.put(cluster, ...ZONES.map((_, id) => aNode(`node-${id}`)));
    for (const id of ZONES.keys()) this.osd(id, {});
  }

  put(...objects: readonly KubeObject[]): void {
    for (const object of objects) this.objects.set(keyOf(refOf(object)), object);
  }

  osd(id: number, parts: OsdParts): void {
    this.put(anOsd(id, { zone: ZONES[id] ?? '', node: `node-${id}`, ...parts }));
  }

  /** As `kubectl drain` and Ceph after it. */
  drain(id: number): void {
    this.put(aNode(`node-${id}`, { unschedulable: true }));
    this.osd(id, { ready: false });
    this.down = [id];
    this.state = 'active+undersized';
  }

  recover(id: number): void {
    this.put(aNode(`node-${id}`));
    this.osd(id, {});
    this.down = [];
    this.state = 'active+clean';
  }

  round(): Promise<Outcome> {
    return this.#rounds.reconcile(REF, signal);
  }

  budgets(): readonly string[] {
    return [...this.objects.values()]
      .filter(({ kind }) => kind === 'PodDisruptionBudget')
      .map(({ metadata }) => metadata.name)
      .sort();
  }

  /** The budgets that select the pod of an OSD. */
  coverOf(id: number): readonly string[] {
    const osd = this.objects.get(keyOf(refOf(anOsd(id))));
    return [...this.objects.values()]
      .filter(({ kind, spec }) => kind === 'PodDisruptionBudget' && selects(spec, osd))
      .map(({ metadata }) => metadata.name);
  }

  #write(line: string): void {
    this.beforeWrite();
    this.writes.push(line);
  }

  #writer(): Writer {
    const unused = (): never => {
      throw new Error('not used here');
    };
    return {
      create: unused,
      createReview: unused,
      apply: (object) => {
        this.#write(`apply ${object.metadata.name}`);
        const uid = `uid-of-${object.metadata.name}`;
        this.put({ ...object, metadata: { ...object.metadata, uid } });
        return Promise.resolve(object);
      },
      patch: unused,
      delete: (ref) => {
        this.#write(`delete ${ref.name}`);
        return Promise.resolve(this.objects.delete(keyOf(ref)) ? 'deleted' : 'absent');
      },
    };
  }

  #clock(): Clock {
    return {
      now: () => this.now,
      sleep: (ms) => {
        this.now += ms;
        return Promise.resolve();
      },
    };
  }

  #ceph(): Ceph {
    const ceph = cephClient({
      run: (command, stop) => {
        this.beforeAnswer(command.args.join(' '));
        return fakeRunner(this.#replies()).run(command, stop);
      },
    });
    const changed = (bucket: string, flags: readonly string[]): Promise<void> => {
      this.#write(`${flags.length > 0 ? 'set' : 'unset'} noout ${bucket}`);
      this.flags = Object.fromEntries(
        Object.entries({ ...this.flags, [bucket]: flags }).filter(([, set]) => set.length > 0),
      );
      return Promise.resolve();
    };
    return {
      ...ceph,
      setNoout: (bucket) => changed(bucket, ['noout']),
      unsetNoout: (bucket) => changed(bucket, []),
    };
  }

  #replies(): Readonly<Record<string, Reply>> {
    if (this.isSilent) return { ceph: 'silence' };
    const up = ZONES.flatMap((_, id) => (this.down.includes(id) ? [] : [id]));
    const osds = ZONES.map((_, osd) => ({ osd, up: up.includes(osd) ? 1 : 0, in: 1, state: ['exists'] }));
    const pool = { pool: 1, pool_name: 'p', size: 3, min_size: 2, crush_rule: 0, type: 1 };
    const dump = {
      epoch: 1,
      crush_version: this.type === 'zone' ? 1 : 2,
      osds,
      pools: [pool],
      flags_set: [],
      crush_node_flags: this.flags,
    };
    const steps = [{ op: 'chooseleaf_firstn', type: this.type, num: 0 }];
    const nodes = ZONES.flatMap((zone, id) => [
      { id: -2 * id - 1, name: zone, type: 'zone', type_id: 9, children: this.isFlat ? [] : [-2 * id - 2] },
      { id: -2 * id - 2, name: `node-${id}`, type: 'host', type_id: 1, children: [id] },
    ]);
    const groups = [{ pgid: '1.0', state: this.state, acting: up }];
    return {
      'ceph osd dump': { json: dump },
      'ceph osd crush rule dump': { json: [{ rule_id: 0, rule_name: 'r', steps }] },
      'ceph osd tree': { json: { nodes, stray: [] } },
      'ceph quorum_status': {
        json: { quorum_names: this.inQuorum, monmap: { mons: ['a', 'b', 'c'].map((name) => ({ name })) } },
      },
      'ceph tell': { code: 0, stdout: up.map((osd) => `osd.${osd}: 1\n`).join(''), stderr: '' },
      'ceph pg dump': {
        json: { pg_ready: true, pg_stats: groups, osd_stats: ZONES.map((_, osd) => ({ osd, seq: 1 })) },
      },
    };
  }
}

function selects(spec: unknown, osd: KubeObject | undefined): boolean {
  return structuredSelector(fieldAt(spec, 'selector'))(osd?.metadata.labels);
}

const SILENT = {
  info: () => undefined,
  debug: () => undefined,
  error: () => undefined,
  with: () => SILENT,
};

const DEFAULT = ['rook-ceph-osd'];
const UNPLACED = 'rook-ceph-osd-unplaced';
const BLOCKING_X = ['rook-ceph-osd-zone-y', 'rook-ceph-osd-zone-z'];

describe('a round', () => {
  test('in a quiet cluster makes the default budget once, and then writes nothing', async () => {
    const world = new World();
    expect(await world.round()).toEqual({ kind: 'wait-for-change' });
    expect(world.budgets()).toEqual(DEFAULT);
    world.writes.length = 0;
    await world.round();
    expect(world.writes).toEqual([]);
  });

  test('during a drain remembers, blocks the others, and then keeps the data where it is', async () => {
    const world = new World();
    await world.round();
    world.writes.length = 0;
    world.drain(0);
    expect(await world.round()).toMatchObject({ kind: 'look-again' });
    expect(world.writes).toEqual([
      'apply rook-deps-disruption',
      'apply rook-ceph-osd-zone-y',
      'apply rook-ceph-osd-zone-z',
      'delete rook-ceph-osd',
      'apply rook-deps-disruption',
      'set noout x',
      'apply rook-deps-disruption',
    ]);
    expect(world.told).toEqual(['CephCluster/rook-ceph DrainStarted', 'Node/node-0 DrainStarted']);
    world.writes.length = 0;
    await world.round();
    expect(world.writes).toEqual([]);
  });

  test('looks again after longer while nothing changes, and soon when something has', async () => {
    const world = new World();
    world.drain(0);
    const waits: unknown[] = [];
    const look = async (): Promise<void> => {
      waits.push(fieldAt(await world.round(), 'afterMs'));
    };
    for (let times = 0; times < 6; times += 1) await look();
    world.state = 'active+recovering';
    await look();
    expect(waits).toEqual([3000, 6000, 12_000, 24_000, 30_000, 30_000, 3000]);
  });

  test('after it gives everything back', async () => {
    const world = new World();
    world.drain(0);
    await world.round();
    world.recover(0);
    await world.round();
    expect(world.budgets()).toEqual(DEFAULT);
    expect(world.flags).toEqual({});
    expect(world.told.slice(-2)).toEqual(['CephCluster/rook-ceph DrainEnded', 'Node/node-0 DrainEnded']);
    expect(await world.round()).toEqual({ kind: 'wait-for-change' });
  });

  test('keeps on blocking while OSDs are back and copies are not', async () => {
    const world = new World();
    world.drain(0);
    await world.round();
    world.recover(0);
    world.state = 'active+recovering';
    await world.round();
    expect(world.budgets()).toEqual(BLOCKING_X);
    expect(world.flags).toEqual({});
  });

  test('W26 does not trust clean groups while Ceph still counts on an OSD that was taken away', async () => {
    const world = new World();
    world.drain(0);
    world.down = [];
    world.state = 'active+clean';
    await world.round();
    expect(world.budgets()).toEqual(BLOCKING_X);
  });

  test('blocks without an answer of Ceph, and gives nothing back without one', async () => {
    const world = new World();
    world.put(aPool('p', { spec: { failureDomain: 'zone' } }));
    world.isSilent = true;
    world.drain(0);
    await world.round();
    expect(world.budgets()).toEqual(BLOCKING_X);
    world.recover(0);
    await world.round();
    expect(world.budgets()).toEqual(BLOCKING_X);
    world.isSilent = false;
    await world.round();
    expect(world.budgets()).toEqual(DEFAULT);
  });

  test('without an answer of Ceph goes on with the type of failure domain that it knew', async () => {
    const world = new World();
    await world.round();
    world.isSilent = true;
    world.drain(0);
    await world.round();
    expect(world.budgets()).toEqual(BLOCKING_X);
  });

  test('sees who went down while it asked for the groups', async () => {
    const world = new World();
    world.beforeAnswer = (question) => {
      if (!question.startsWith('tell')) return;
      world.down = [0];
      world.state = 'active+undersized';
    };
    await world.round();
    expect(world.budgets()).toEqual(BLOCKING_X);
  });

  test('leaves out a dead OSD whose data is safe, without noout', async () => {
    const world = new World();
    world.osd(2, { ready: false });
    world.down = [2];
    await world.round();
    expect(world.flags).toEqual({});
    const [found] = [...world.objects.values()].filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(found?.['spec']).toMatchObject({
      selector: { matchExpressions: [{ key: 'app' }, { key: 'osd', operator: 'NotIn', values: ['2'] }] },
    });
  });

  test.for([
    { name: 'an OSD is dead', disturb: (world: World) => (world.down = [2]) },
    { name: 'Ceph is silent', disturb: (world: World) => (world.isSilent = true) },
    { name: 'a monitor is missing', disturb: (world: World) => (world.inQuorum = ['a', 'b']) },
  ])('of a cluster at rest comes by itself half a minute later while $name', async ({ disturb }) => {
    const world = new World();
    world.put(aCluster('rook-ceph', { uid: 'cluster', spec: { mon: { count: 3 }, mgr: { count: 1 } } }));
    expect(await world.round()).toEqual({ kind: 'wait-for-change' });
    disturb(world);
    expect(await world.round()).toEqual({ kind: 'look-again', afterMs: 30_000 });
  });

  test('lets no further monitor go while one is out of quorum', async () => {
    const world = new World();
    world.put(aCluster('rook-ceph', { uid: 'cluster', spec: { mon: { count: 3 }, mgr: { count: 1 } } }));
    const allowed = async (): Promise<unknown> => {
      await world.round();
      const budgets = [...world.objects.values()];
      const found = budgets.find(({ metadata }) => metadata.name === 'rook-ceph-mon-pdb');
      return fieldAt(found, 'spec', 'maxUnavailable');
    };
    expect(await allowed()).toBe(1);
    world.inQuorum = ['a', 'b'];
    expect(await allowed()).toBe(0);
    world.isSilent = true;
    expect(await allowed()).toBe(0);
  });

  test('takes noout off when its time is over, and leaves it off', async () => {
    const world = new World({ osdMaintenanceTimeout: 10 });
    world.drain(0);
    await world.round();
    world.now += 10 * 60_000;
    world.told.length = 0;
    await world.round();
    expect(world.flags).toEqual({});
    expect(world.told).toEqual(['CephCluster/rook-ceph NooutEnded']);
    await world.round();
    expect(world.flags).toEqual({});
    expect(world.told).toHaveLength(1);
    expect(world.budgets()).toEqual(BLOCKING_X);
  });

  test('W23 leaves a flag of somebody else alone', async () => {
    const world = new World();
    world.flags = { x: ['noout'], y: ['noout'] };
    world.drain(0);
    await world.round();
    world.recover(0);
    await world.round();
    expect(world.flags).toEqual({ x: ['noout'], y: ['noout'] });
  });

  test('W29 frees the rest of the domain at once, however many OSDs it has', async () => {
    const world = new World();
    for (const id of [7, 8, 9]) world.put(anOsd(id, { zone: 'x', node: 'node-0' }));
    await world.round();
    expect(world.coverOf(7)).toEqual(DEFAULT);
    world.drain(0);
    await world.round();
    for (const id of [0, 7, 8, 9]) expect(world.coverOf(id)).toEqual([]);
    expect(world.coverOf(1)).toEqual(['rook-ceph-osd-zone-y']);
  });

  test('W21 leaves nothing of a type of failure domain that is no longer enforced', async () => {
    const world = new World();
    world.drain(0);
    await world.round();
    expect(world.flags).toEqual({ x: ['noout'] });
    world.type = 'host';
    await world.round();
    expect(world.budgets()).toEqual(['rook-ceph-osd-host-node-1', 'rook-ceph-osd-host-node-2']);
    expect(world.flags).toEqual({ 'node-0': ['noout'] });
    world.recover(0);
    await world.round();
    expect(world.budgets()).toEqual(DEFAULT);
    expect(world.flags).toEqual({});
  });

  test('W21 leaves nothing of a domain that is no longer there', async () => {
    const world = new World();
    world.drain(0);
    await world.round();
    world.objects.delete(keyOf(refOf(anOsd(0))));
    world.down = [];
    world.state = 'active+clean';
    await world.round();
    expect(world.budgets()).toEqual(DEFAULT);
    expect(world.flags).toEqual({});
  });

  test('W25 an OSD without a label gets a budget of its own, and stops nobody', async () => {
    const world = new World();
    world.put(anOsd(9, { node: 'node-1' }));
    world.drain(0);
    await world.round();
    expect(world.budgets()).toEqual(['rook-ceph-osd-unplaced', ...BLOCKING_X]);
  });

  test('W25 where no OSD has a label, Ceph tells the domain', async () => {
    const world = new World();
    for (const id of [0, 1, 2]) world.osd(id, { zone: '' });
    world.drain(0);
    world.osd(0, { zone: '', ready: false });
    await world.round();
    expect([0, 1, 2].map((id) => world.coverOf(id).length)).toEqual([0, 1, 1]);
    expect(world.flags).toEqual({ x: ['noout'] });
  });

  test('W25 where nobody tells the domain, all that are up are held', async () => {
    const world = new World();
    world.isFlat = true;
    for (const id of [1, 2]) world.osd(id, { zone: '' });
    world.drain(0);
    world.osd(0, { zone: '', ready: false });
    await world.round();
    expect([0, 1, 2].map((id) => world.coverOf(id))).toEqual([[], [UNPLACED], [UNPLACED]]);
    expect(world.flags).toEqual({});
  });

  test('counts an OSD that Ceph misses and that has no Deployment any more', async () => {
    const world = new World();
    world.put(anOsd(7, { zone: 'x', node: 'node-0' }));
    await world.round();
    world.objects.delete(keyOf(refOf(anOsd(0))));
    world.down = [0];
    world.state = 'active+undersized';
    await world.round();
    expect(world.budgets()).toEqual(BLOCKING_X);
    expect(world.coverOf(7)).toEqual([]);
    expect(world.flags).toEqual({});
    world.state = 'active+clean';
    expect(await world.round()).toEqual({ kind: 'wait-for-change' });
    expect(world.coverOf(7)).toEqual(DEFAULT);
  });

  test('holds all OSDs while copies are missing, although all are there', async () => {
    const world = new World();
    world.state = 'active+undersized+degraded';
    expect(await world.round()).toMatchObject({ kind: 'look-again' });
    expect([0, 1, 2].map((id) => world.coverOf(id))).toEqual(
      ZONES.map((zone) => [`rook-ceph-osd-zone-${zone}`]),
    );
    world.isSilent = true;
    await world.round();
    expect(world.coverOf(0)).toEqual(['rook-ceph-osd-zone-x']);
    world.isSilent = false;
    world.state = 'active+remapped+backfilling';
    expect(await world.round()).toEqual({ kind: 'wait-for-change' });
    expect(world.budgets()).toEqual(DEFAULT);
    expect(world.told).toEqual([
      'CephCluster/rook-ceph CopiesMissing',
      'CephCluster/rook-ceph CopiesComplete',
    ]);
  });

  test.for(['active+remapped+backfilling', 'creating+peering'])(
    'holds nobody while groups are %s and all OSDs are there',
    async (state) => {
      const world = new World();
      world.state = state;
      expect(await world.round()).toEqual({ kind: 'wait-for-change' });
      expect(world.budgets()).toEqual(DEFAULT);
      expect(world.told).toEqual([]);
    },
  );

  test('that is killed at any write is finished by the next', async () => {
    for (let survivor = 0; survivor < 9; survivor += 1) {
      const world = new World();
      await world.round();
      world.drain(0);
      let left = survivor;
      world.beforeWrite = () => {
        if (left === 0) throw new Error('killed');
        left -= 1;
      };
      await world.round().catch(() => undefined);
      world.beforeWrite = () => undefined;
      await world.round();
      expect(world.budgets()).toEqual(BLOCKING_X);
      expect(world.flags).toEqual({ x: ['noout'] });
      world.recover(0);
      await world.round();
      expect(world.budgets()).toEqual(DEFAULT);
      expect(world.flags).toEqual({});
    }
  });
});

describe('where Rook protects', () => {
  test('14.7 not one budget is made', async () => {
    const world = new World({ managePodBudgets: true });
    world.drain(0);
    await world.round();
    expect(world.writes).toEqual([]);
    expect(world.told).toEqual([]);
  });

  test('W19 everything of ours goes when it starts to, at no moment without a budget', async () => {
    const world = new World();
    world.drain(0);
    await world.round();
    world.writes.length = 0;
    world.put(
      aCluster('rook-ceph', { uid: 'cluster', spec: { disruptionManagement: { managePodBudgets: true } } }),
    );
    await world.round();
    expect(world.writes.slice(0, 4)).toEqual([
      'apply rook-ceph-osd',
      'delete rook-ceph-osd-zone-y',
      'delete rook-ceph-osd-zone-z',
      'apply rook-ceph-osd',
    ]);
    expect(world.flags).toEqual({});
    expect(world.writes.at(-1)).toBe('delete rook-deps-disruption');
    expect(world.told.at(-1)).toBe('CephCluster/rook-ceph BudgetsLeftToRook');
    world.writes.length = 0;
    await world.round();
    expect(world.writes).toEqual([]);
  });
});

describe('what Rook leaves when it is told to stop', () => {
  const notes = (): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'rook-ceph-pdbstatemap', namespace: 'rook-ceph' },
    data: {
      'draining-failure-domain': 'x',
      'set-no-out': 'true',
      'x-noout-last-set-at': '1970-01-01T00:16:00Z',
    },
  });

  test('W19 is taken over in the middle of a drain, noout included', async () => {
    const world = new World();
    world.put(notes());
    world.flags = { x: ['noout'] };
    world.drain(0);
    await world.round();
    expect(world.budgets()).toEqual(BLOCKING_X);
    expect(world.writes).not.toContain('set noout x');
    world.recover(0);
    await world.round();
    expect(world.flags).toEqual({});
    expect(world.budgets()).toEqual(DEFAULT);
  });

  test('W19 keeps the time that noout had when Rook set it', async () => {
    const world = new World({ osdMaintenanceTimeout: 1 });
    world.put(notes());
    world.flags = { x: ['noout'] };
    world.drain(0);
    world.now = 60_000 + Date.parse('1970-01-01T00:16:00Z');
    await world.round();
    expect(world.flags).toEqual({});
  });

  test('W23 is taken over once: a flag that somebody sets later is theirs', async () => {
    const world = new World();
    world.put(notes());
    await world.round();
    world.flags = { x: ['noout'] };
    await world.round();
    expect(world.flags).toEqual({ x: ['noout'] });
  });
});

describe('a budget of somebody else', () => {
  const theirs = (name: string, matchLabels: object): KubeObject => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'rook-ceph', uid: `their-${name}` },
    spec: { maxUnavailable: 1, selector: { matchLabels } },
  });

  test('over all OSDs leaves none to us, and is told of once', async () => {
    const world = new World();
    await world.round();
    world.put(theirs('mine', { app: 'rook-ceph-osd' }));
    await world.round();
    world.drain(0);
    await world.round();
    expect(world.budgets()).toEqual(['mine']);
    expect(world.told.filter((line) => line.endsWith('BudgetsOfOthers'))).toHaveLength(1);
  });

  test('over one OSD leaves the others to us', async () => {
    const world = new World();
    world.put(theirs('mine', { osd: '1' }), anOsd(8, { zone: 'y', node: 'node-1' }));
    await world.round();
    expect([0, 1, 2].map((id) => world.coverOf(id))).toEqual([DEFAULT, ['mine'], DEFAULT]);
    world.drain(0);
    await world.round();
    expect([0, 1, 8].map((id) => world.coverOf(id))).toEqual([[], ['mine'], ['rook-ceph-osd-zone-y']]);
  });

  test.for(['rook-ceph-osd', 'rook-ceph-mon-pdb'])(
    'named %s is neither changed nor deleted',
    async (name) => {
      const world = new World();
      const budget = theirs(name, { app: 'web' });
      world.put(budget, aCluster('rook-ceph', { uid: 'cluster', spec: { mon: { count: 3 } } }));
      await world.round();
      world.drain(0);
      await world.round();
      expect(world.objects.get(keyOf(refOf(budget)))).toEqual(budget);
    },
  );
});

describe('of a cluster that is being deleted', () => {
  const doom = (world: World): void => {
    const cluster = aCluster('rook-ceph', { uid: 'cluster', spec: { mon: { count: 3 }, mgr: { count: 2 } } });
    const metadata = { ...cluster.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    world.put({ ...cluster, metadata });
  };

  test('OSDs are protected while there are any', async () => {
    const world = new World();
    await world.round();
    doom(world);
    world.drain(0);
    await world.round();
    expect(world.coverOf(1)).toEqual(['rook-ceph-osd-zone-y']);
    expect(world.flags).toEqual({ x: ['noout'] });
    world.recover(0);
    await world.round();
    expect(world.coverOf(1)).toEqual(DEFAULT);
    expect(world.flags).toEqual({});
  });

  test('nothing of ours is left after the last of them', async () => {
    const world = new World();
    world.drain(0);
    await world.round();
    doom(world);
    for (const id of ZONES.keys()) world.objects.delete(keyOf(refOf(anOsd(id))));
    expect(await world.round()).toEqual({ kind: 'wait-for-change' });
    expect(world.budgets()).toEqual([]);
    expect(world.flags).toEqual({});
    expect(world.writes.at(-1)).toBe('delete rook-deps-disruption');
    world.writes.length = 0;
    await world.round();
    expect(world.writes).toEqual([]);
  });
});

test('an external cluster has no OSDs here, and gets no budgets', async () => {
  const world = new World();
  world.put(aCluster('rook-ceph', { spec: { external: { enable: true } } }));
  expect(await world.round()).toEqual({ kind: 'wait-for-change' });
  expect(world.writes).toEqual([]);
});
