import { expect, test } from 'vitest';
import type { Health, OsdFacts } from '#pkg/drain';
import { cleanliness } from './cleanliness.ts';

const osd = (id: number, isDown = false): OsdFacts => ({ id, domain: 'x', isDown, isDrained: false });

function health(...states: readonly string[]): Health {
  const osds = [0, 1].map((id) => ({ id, isUp: true, isIn: true, state: [] }));
  const osdMap = { epoch: 1, crushVersion: 1, osds, pools: [], flags: [], bucketFlags: new Map() };
  const groups = states.map((state, at) => ({ id: `1.${at}`, pool: 1, state, acting: [0, 1] }));
  return { isClean: states.every((state) => state === 'active+clean'), osdMap, groups, words: '' };
}

test.for([
  { states: ['active+clean'], expected: 'clean' },
  { states: ['active+clean', 'active+remapped+backfilling'], expected: 'misplaced' },
  { states: ['active+remapped+backfill_wait', 'active+clean+remapped'], expected: 'misplaced' },
  { states: ['active+clean+inconsistent', 'active+clean+laggy'], expected: 'misplaced' },
  { states: ['active+clean', 'creating+peering'], expected: 'misplaced' },
  { states: ['active+clean', 'clean+premerge+peered'], expected: 'misplaced' },
  { states: ['active+remapped', 'active+undersized'], expected: 'unclean' },
  { states: ['active+remapped', 'active+degraded'], expected: 'unclean' },
  { states: ['active+recovering'], expected: 'unclean' },
  { states: ['active+recovery_wait+remapped'], expected: 'unclean' },
  { states: ['remapped+peering'], expected: 'unclean' },
  { states: ['remapped'], expected: 'unclean' },
  { states: ['undersized+degraded+peered'], expected: 'unclean' },
  { states: ['stale+active+clean'], expected: 'unclean' },
  { states: ['active+something_new'], expected: 'unclean' },
  { states: ['unknown'], expected: 'unclean' },
])('groups that are $states are $expected', ({ states, expected }) => {
  expect(cleanliness([osd(0), osd(1)], health(...states))).toBe(expected);
});

test('of a Ceph that does not answer nothing is known', () => {
  expect(cleanliness([osd(0)], undefined)).toBe('unknown');
});

test('W26 groups that look clean are not, while Ceph counts on an OSD that was taken away', () => {
  expect(cleanliness([osd(0, true), osd(1)], health('active+clean'))).toBe('unclean');
  expect(cleanliness([osd(0), osd(7, true)], health('active+clean'))).toBe('clean');
});
