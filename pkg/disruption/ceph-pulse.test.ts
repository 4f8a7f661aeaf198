import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { cephClient } from '#pkg/ceph';
import { Kinds, refOf, type KubeObject } from '#pkg/object';
import { fakeRunner, type FakeRunner, type Reply } from '#test/fakes/ceph-runner.ts';
import { FakeClock } from '#test/fakes/fake-clock.ts';
import { fakeReader } from '#test/fakes/reader.ts';
import { aCluster } from '#test/fixtures/objects.ts';
import { CephPulse } from './ceph-pulse.ts';

const PULSE_MS = 15_000;
const POOL = { pool: 1, pool_name: 'p', size: 3, min_size: 2, crush_rule: 0, type: 1 };
const SILENT = { info: () => undefined, debug: () => undefined, error: () => undefined, with: () => SILENT };

let up: readonly number[];
let pool: typeof POOL;
let inQuorum: readonly string[];
let isSilent: boolean;
let epoch: number;

beforeEach(() => {
  up = [0, 1, 2];
  pool = POOL;
  inQuorum = ['a', 'b', 'c'];
  isSilent = false;
  epoch = 1;
});

function replies(): Readonly<Record<string, Reply>> {
  if (isSilent) return { ceph: 'silence' };
  const osds = [0, 1, 2].map((osd) => ({ osd, up: up.includes(osd) ? 1 : 0, in: 1, state: ['exists'] }));
  const dump = { epoch, crush_version: 1, osds, pools: [pool], flags_set: [], crush_node_flags: {} };
  const mons = ['a', 'b', 'c'].map((name) => ({ name }));
  return {
    'ceph osd dump': { json: dump },
    'ceph quorum_status': { json: { monmap: { mons }, quorum_names: inQuorum } },
  };
}

/** A pulse that has been felt for the first time. */
async function feltPulse(spec: object = { mon: { count: 3 } }): Promise<Felt> {
  const cluster = aCluster('rook-ceph', { spec });
  const felt = new Felt(cluster);
  await felt.clock.advance(0);
  return felt;
}

class Felt {
  readonly clock = new FakeClock();
  readonly asked: string[] = [];
  turns = 0;

  constructor(cluster: KubeObject) {
    const stop = new AbortController();
    const run = (...args: Parameters<FakeRunner['run']>): ReturnType<FakeRunner['run']> => {
      this.asked.push(args[0].args.join(' '));
      return fakeRunner(replies()).run(...args);
    };
    const ports = {
      reader: fakeReader([cluster]),
      cephOf: () => cephClient({ run }),
      clock: this.clock,
      logger: SILENT,
    };
    const pulse = new CephPulse(
      ports,
      () => [{ ...Kinds.CephCluster, ...refOf(cluster) }],
      () => (this.turns += 1),
    );
    const running = pulse.run(stop.signal).catch(() => undefined);
    onTestFinished(async () => {
      stop.abort();
      await running;
    });
  }

  /** How many turns there were until the next time. */
  async next(): Promise<number> {
    const before = this.turns;
    await this.clock.advance(PULSE_MS);
    return this.turns - before;
  }
}

test('a look follows the first time: what happened since the one before is not known', async () => {
  expect((await feltPulse()).turns).toBe(1);
});

test('at rest two small questions are asked, and no look follows', async () => {
  const felt = await feltPulse();
  felt.asked.length = 0;
  // As when a snapshot is taken.
  epoch = 2;
  expect(await felt.next()).toBe(0);
  expect(felt.asked).toEqual(['osd dump --format json', 'quorum_status --format json']);
});

test.for([
  { name: 'an OSD that Ceph alone calls down', change: () => (up = [0, 1]) },
  { name: 'a monitor out of quorum', change: () => (inQuorum = ['a', 'b']) },
  { name: 'a pool that wants one more copy', change: () => (pool = { ...POOL, size: 4 }) },
])('a look follows $name, once', async ({ change }) => {
  const felt = await feltPulse();
  change();
  expect(await felt.next()).toBe(1);
  expect(await felt.next()).toBe(0);
});

test('silence is no news, and what happened meanwhile is', async () => {
  const felt = await feltPulse();
  isSilent = true;
  expect(await felt.next()).toBe(0);
  isSilent = false;
  expect(await felt.next()).toBe(0);
  isSilent = true;
  await felt.next();
  isSilent = false;
  up = [0];
  expect(await felt.next()).toBe(1);
});

test('monitors that no budget counts are not asked about', async () => {
  const felt = await feltPulse({ mon: { count: 1 } });
  expect(felt.asked).toEqual(['osd dump --format json']);
});

test.for([
  { name: 'where Rook protects', spec: { disruptionManagement: { managePodBudgets: true } } },
  { name: 'of an external cluster', spec: { external: { enable: true } } },
])('nothing is asked $name', async ({ spec }) => {
  const felt = await feltPulse(spec);
  expect(felt.asked).toEqual([]);
  expect(felt.turns).toBe(0);
});
