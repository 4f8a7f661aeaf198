import { describe, expect, test } from 'vitest';
import { cephSample } from '#test/fixtures/ceph.ts';
import { parseOsdMap, type CephPool } from './osd-map.ts';
import { forecastStop, parsePgMap, type PlacementGroup } from './pg-map.ts';
import { parseStopOpinion } from './cluster-state.ts';

const POOL: CephPool = { id: 1, name: 'p', size: 3, minSize: 2, crushRule: 0, isErasureCoded: false };

function aGroup(id: string, acting: readonly number[], state = 'active+clean'): PlacementGroup {
  return { id, pool: 1, state, acting };
}

function sampleGroups(): readonly PlacementGroup[] {
  return parsePgMap({ ...(cephSample('16.2', 'pg-dump-pgs-brief') as object), osd_stats: [] }).groups;
}

describe('a forecast', () => {
  test('is safe while each group keeps as many copies as it needs', () => {
    expect(forecastStop([0], [aGroup('1.0', [0, 1, 2]), aGroup('1.1', [3, 4, 5])], [POOL])).toEqual({
      isSafe: true,
      wouldStop: [],
      wouldDegrade: ['1.0'],
      lastCopy: [],
      unknown: [],
    });
  });

  test('is not safe where two of three copies would go, wherever the OSDs are in the list', () => {
    const groups = [aGroup('1.0', [1, 2, 0])];
    expect(forecastStop([1, 2], groups, [POOL])).toMatchObject({ isSafe: false, wouldStop: ['1.0'] });
  });

  test('tells of groups that would have one copy left, and of no erasure-coded ones', () => {
    const groups = [aGroup('1.0', [0, 1]), aGroup('1.1', [0, 1, 2]), aGroup('1.2', [3])];
    const pair = { ...POOL, size: 2, minSize: 1 };
    expect(forecastStop([0], groups, [pair])).toMatchObject({
      wouldDegrade: ['1.0', '1.1'],
      lastCopy: ['1.0'],
    });
    expect(forecastStop([0], groups, [{ ...pair, isErasureCoded: true }]).lastCopy).toEqual([]);
  });

  test('W28 contradicts the release of Ceph that says yes when it should say no', () => {
    const opinion = parseStopOpinion(cephSample('20.2', 'ok-to-stop-regression-false-safe'));
    expect(opinion).toMatchObject({ isOk: true, osds: [1, 2] });
    expect(forecastStop(opinion.osds, [aGroup('1.0', [1, 2, 0])], [POOL]).isSafe).toBe(false);
  });

  test('agrees with Ceph 16.2 on one OSD', () => {
    const groups = sampleGroups();
    const { pools } = parseOsdMap(cephSample('16.2', 'osd-dump'));
    const { isSafe, wouldDegrade } = forecastStop([0], groups, pools);
    const opinion = cephSample('16.2', 'ok-to-stop-one') as { ok_become_degraded: string[] };
    expect(isSafe).toBe(true);
    expect(wouldDegrade.toSorted()).toEqual(opinion.ok_become_degraded);
  });

  test('agrees with Ceph 16.2 that two zones may not go', () => {
    const groups = sampleGroups();
    const { pools } = parseOsdMap(cephSample('16.2', 'osd-dump'));
    const opinion = parseStopOpinion(cephSample('16.2', 'ok-to-stop-two-zones'));
    expect(forecastStop(opinion.osds, groups, pools).wouldStop).toHaveLength(opinion.notOk);
  });

  test.for([
    { name: 'its state is unknown', group: aGroup('1.0', [], 'unknown') },
    { name: 'its last report is old', group: aGroup('1.0', [0, 1, 2], 'stale+active+clean') },
    { name: 'its pool is not in the map', group: { ...aGroup('1.0', [0, 1, 2]), pool: 7 } },
  ])('does not call a group safe when $name', ({ group }) => {
    expect(forecastStop([9], [group], [POOL])).toMatchObject({ isSafe: false, unknown: ['1.0'] });
  });

  test('leaves out groups that do not serve already, unless the OSDs are theirs', () => {
    const groups = [aGroup('1.0', [4, 5], 'down'), aGroup('1.1', [0, 1, 2], 'peering')];
    expect(forecastStop([4], groups, [POOL]).wouldStop).toEqual(['1.0']);
    expect(forecastStop([9], groups, [POOL]).isSafe).toBe(true);
  });

  test('does not count places that nobody holds as copies', () => {
    const pg = { pgid: '1.0', state: 'active+undersized', acting: [0, 2147483647, 2] };
    const { groups } = parsePgMap({ pg_ready: true, pg_stats: [pg], osd_stats: [] });
    expect(forecastStop([0], groups, [POOL]).wouldStop).toEqual(['1.0']);
  });
});
