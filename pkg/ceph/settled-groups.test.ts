import { describe, expect, test } from 'vitest';
import type { Clock } from '#pkg/clock';
import { fakeRunner, type Reply } from '#test/fakes/ceph-runner.ts';
import { cephClient } from './client.ts';
import { CephSilent, type CephRunner } from './runner.ts';
import { isClean, settledGroups, statesOf } from './settled-groups.ts';

const { signal } = new AbortController();

function osdDump(up: readonly number[], down: readonly number[] = []): Reply {
  const osd = (id: number, isUp: boolean): object => ({
    osd: id,
    up: isUp ? 1 : 0,
    in: 1,
    state: ['exists'],
  });
  const osds = [...up.map((id) => osd(id, true)), ...down.map((id) => osd(id, false))];
  return { json: { epoch: 1, crush_version: 1, osds, pools: [], flags_set: [], crush_node_flags: {} } };
}

const seen = (state: string, ...numbers: readonly number[]): Reply =>
  seenOn(state.includes('undersized') ? [0] : [...numbers.keys()], state, ...numbers);
const seenOn = (acting: readonly number[], state: string, ...numbers: readonly number[]): Reply => ({
  json: {
    pg_ready: true,
    pg_stats: [{ pgid: '1.0', state, acting }],
    osd_stats: numbers.map((seq, osd) => ({ osd, seq })),
  },
});

/** Gives the next of several answers each time it is asked. */
function inTurn(
  replies: Readonly<Record<string, readonly Reply[]>>,
): CephRunner & { readonly asked: string[] } {
  const asked: string[] = [];
  const turns = new Map<string, number>();
  return {
    asked,
    run: (command, stop) => {
      const now = Object.fromEntries(
        Object.entries(replies).map(([line, list]) => [line, list[turns.get(line) ?? 0] ?? list.at(-1)]),
      ) as Record<string, Reply>;
      const runner = fakeRunner(now);
      const answer = runner.run(command, stop);
      const line = Object.keys(replies).find((start) => runner.asked[0]?.startsWith(start));
      if (line) turns.set(line, (turns.get(line) ?? 0) + 1);
      asked.push(...runner.asked);
      return answer;
    },
  };
}

/** Time that passes whenever somebody waits for it. */
function impatient(): Clock {
  let now = 0;
  return {
    now: () => now,
    sleep: (ms) => {
      now += ms;
      return Promise.resolve();
    },
  };
}

const FLUSH = 'ceph tell osd.* flush_pg_stats';

test('the groups are believed only when the manager has the reports that were asked for', async () => {
  const runner = inTurn({
    'ceph osd dump': [osdDump([0, 1])],
    [FLUSH]: [{ code: 0, stdout: 'osd.0: 10\nosd.1: 20\n', stderr: '' }],
    'ceph pg dump': [seen('active+clean', 9, 20), seen('active+undersized', 10, 20)],
  });
  const settled = await settledGroups(cephClient(runner), impatient(), signal);
  expect(statesOf(settled.groups)).toEqual(new Map([['active+undersized', 1]]));
});

test('an OSD that went down meanwhile makes it start again', async () => {
  const runner = inTurn({
    'ceph osd dump': [osdDump([0, 1]), osdDump([0], [1])],
    [FLUSH]: [
      { code: 0, stdout: 'osd.0: 1\nosd.1: 1\n', stderr: '' },
      { code: 6, stdout: 'osd.0: 2\n', stderr: '' },
    ],
    'ceph pg dump': [seen('active+clean', 5, 5), seen('active+undersized+degraded', 5, 5)],
  });
  const { groups } = await settledGroups(cephClient(runner), impatient(), signal);
  expect(isClean(groups)).toBe(false);
});

describe('a group that names an OSD that is down', () => {
  const withGroups = (...groups: readonly Reply[]): CephRunner =>
    inTurn({
      'ceph osd dump': [osdDump([0], [1])],
      [FLUSH]: [{ code: 6, stdout: 'osd.0: 2\n', stderr: '' }],
      'ceph pg dump': groups,
    });
  const settled = async (...groups: readonly Reply[]): Promise<readonly string[]> => {
    const { groups: found } = await settledGroups(cephClient(withGroups(...groups)), impatient(), signal);
    return found.map(({ state }) => state);
  };
  const early = seenOn([0, 1], 'active+clean', 2);

  test('is of before, and is not believed', async () => {
    expect(await settled(early, seenOn([0], 'active+undersized', 2))).toEqual(['active+undersized']);
    await expect(settled(early)).rejects.toThrow(CephSilent);
  });

  test('is all there is to know when nobody speaks for it', async () => {
    expect(await settled(seenOn([1], 'stale+active+clean', 2))).toEqual(['stale+active+clean']);
  });
});

test('an OSD that is up and does not report leaves it without an answer', async () => {
  const runner = inTurn({
    'ceph osd dump': [osdDump([0, 1])],
    [FLUSH]: [{ code: 0, stdout: 'osd.0: 1\n', stderr: '' }],
    'ceph pg dump': [seen('active+clean', 5, 5)],
  });
  await expect(settledGroups(cephClient(runner), impatient(), signal)).rejects.toThrow(CephSilent);
});

test('reports that never arrive leave it without an answer', async () => {
  const runner = inTurn({
    'ceph osd dump': [osdDump([0])],
    [FLUSH]: [{ code: 0, stdout: 'osd.0: 10\n', stderr: '' }],
    'ceph pg dump': [seen('active+clean', 9)],
  });
  await expect(settledGroups(cephClient(runner), impatient(), signal)).rejects.toThrow(
    'the reports of the OSDs do not reach the manager',
  );
});

test.for([
  { state: 'active+clean', clean: true },
  { state: 'active+clean+scrubbing+deep', clean: true },
  { state: 'active+clean+snaptrim', clean: true },
  { state: 'active+clean+snaptrim_wait', clean: true },
  { state: 'active+undersized', clean: false },
  { state: 'active+clean+remapped', clean: false },
  { state: 'active+recovering+degraded', clean: false },
  { state: 'unknown', clean: false },
])('14.7 a group that is $state is clean: $clean', ({ state, clean }) => {
  expect(isClean([{ id: '1.0', pool: 1, state, acting: [0] }])).toBe(clean);
});

test('14.7 another idea of clean may be given', () => {
  const groups = [{ id: '1.0', pool: 1, state: 'active+clean+remapped', acting: [0] }];
  expect(isClean(groups, /^active\+clean(\+remapped)?$/)).toBe(true);
});
