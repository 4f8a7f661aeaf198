import { expect, test } from 'vitest';
import type { Health, OsdFacts } from '#pkg/drain';
import { cleanliness } from './cleanliness.ts';
import { decide } from './decision.ts';

const MOVING = 'active+remapped+backfilling';

function osd(id: number, isDown = false): OsdFacts {
  return { id, domain: `z${id}`, isDown, isDrained: false };
}

/** Of three OSDs the last is down, and a group is on some of them. */
function healthOf(state: string, acting: readonly number[], isIn: boolean): Health {
  const osds = [0, 1, 2].map((id) => ({ id, isUp: id < 2, isIn: id < 2 || isIn, state: [] }));
  return {
    isClean: false,
    osdMap: { epoch: 1, crushVersion: 1, osds, pools: [], flags: [], bucketFlags: new Map() },
    groups: [{ id: '1.0', pool: 1, state, acting }],
    words: '',
  };
}

const OSDS = [osd(0), osd(1), osd(2, true)];

test('a dead OSD that Ceph has given up holds nobody while data only moves', () => {
  const state = cleanliness(OSDS, healthOf(MOVING, [0, 1], false));
  expect(state).toBe('replaced');
  expect(decide({ osds: OSDS, cleanliness: state, draining: 'z2' })).toEqual({
    kind: 'default',
    excluded: [2],
  });
});

test.for([
  { name: 'Ceph waits for it', health: healthOf(MOVING, [0, 1], true), expected: 'misplaced' },
  { name: 'a group counts on it', health: healthOf(MOVING, [0, 2], false), expected: 'misplaced' },
  {
    name: 'copies are missing',
    health: healthOf('active+undersized+degraded+remapped+backfilling', [0, 1], false),
    expected: 'unclean',
  },
])('a dead OSD holds the others while $name', ({ health, expected }) => {
  const state = cleanliness(OSDS, health);
  expect(state).toBe(expected);
  expect(decide({ osds: OSDS, cleanliness: state, draining: undefined })).toMatchObject({
    kind: 'blocking',
    draining: 'z2',
  });
});

test('with every OSD there, data that moves is not more than that', () => {
  expect(cleanliness([osd(0), osd(1)], healthOf(MOVING, [0, 1], false))).toBe('misplaced');
});
