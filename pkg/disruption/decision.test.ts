import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Cleanliness } from './cleanliness.ts';
import { decide } from './decision.ts';
import type { OsdFacts } from '#pkg/drain';

const up = (id: number, domain: string): OsdFacts => ({ id, domain, isDown: false, isDrained: false });
const down = (id: number, domain: string): OsdFacts => ({ id, domain, isDown: true, isDrained: false });
const drained = (id: number, domain: string): OsdFacts => ({ id, domain, isDown: true, isDrained: true });

describe('14.7 the next protection', () => {
  const allUp = [up(0, 'z1'), up(1, 'z2'), up(2, 'z3')];

  test.for([
    { row: 'a', osds: allUp, cleanliness: 'clean', before: undefined, kind: 'default', excluded: [] },
    {
      row: 'b',
      osds: [drained(0, 'z1'), up(1, 'z2'), up(2, 'z3')],
      cleanliness: 'unclean',
      before: undefined,
      kind: 'blocking',
      draining: 'z1',
      isPlanned: true,
    },
    {
      row: 'c',
      osds: allUp,
      cleanliness: 'unclean',
      before: 'z1',
      kind: 'blocking',
      draining: 'z1',
      isPlanned: false,
    },
    { row: 'd and e', osds: allUp, cleanliness: 'clean', before: 'z1', kind: 'default', excluded: [] },
    {
      row: 'f',
      osds: [down(0, 'z1'), down(1, 'z1'), up(2, 'z2')],
      cleanliness: 'clean',
      before: 'z1',
      kind: 'default',
      excluded: [0, 1],
    },
  ] as const)('row $row', ({ osds, cleanliness, before, ...expected }) => {
    expect(expected).toMatchObject(decide({ osds, cleanliness, draining: before }));
  });

  test.for([
    { name: 'nothing yet, two down', before: undefined, osds: [down(1, 'z1'), down(2, 'z2')], next: 'z1' },
    { name: 'z2, both down', before: 'z2', osds: [down(1, 'z1'), down(2, 'z2')], next: 'z2' },
    {
      name: 'nothing yet, z1 drained',
      before: undefined,
      osds: [drained(1, 'z1')],
      next: 'z1',
      planned: true,
    },
    {
      name: 'nothing yet, three down, z3 drained',
      before: undefined,
      osds: [down(1, 'z1'), down(2, 'z2'), drained(3, 'z3')],
      next: 'z3',
      planned: true,
    },
    {
      name: 'z1, which is back, z2 down and z3 drained',
      before: 'z1',
      osds: [up(1, 'z1'), down(2, 'z2'), drained(3, 'z3')],
      next: 'z3',
      planned: true,
    },
    {
      name: 'z1, which is down still, and z3 drained',
      before: 'z1',
      osds: [down(1, 'z1'), drained(3, 'z3')],
      next: 'z3',
      planned: true,
    },
    {
      name: 'nothing yet, two drained, the first by number is not the first by name',
      before: undefined,
      osds: [drained(1, 'z2'), drained(2, 'z1')],
      next: 'z1',
      planned: true,
    },
    {
      name: 'nothing yet, one drained in no known place and one in z1',
      before: undefined,
      osds: [drained(1, ''), drained(2, 'z1')],
      next: 'z1',
      planned: true,
    },
    { name: 'z1, which is back, and z2 down', before: 'z1', osds: [up(1, 'z1'), down(2, 'z2')], next: 'z2' },
  ])('after $name', ({ before, osds, next, planned = false }) => {
    expect(decide({ osds, cleanliness: 'unclean', draining: before })).toEqual({
      kind: 'blocking',
      draining: next,
      isPlanned: planned,
    });
  });
});

test('missing copies hold every OSD although none is down, and data that only moves holds none', () => {
  const osds = [up(0, 'z1'), up(1, 'z2')];
  const next = (cleanliness: Cleanliness) => decide({ osds, cleanliness, draining: undefined });
  expect(next('unclean')).toEqual({ kind: 'blocking', draining: '', isPlanned: false });
  expect(next('misplaced')).toEqual({ kind: 'default', excluded: [] });
  expect(next('unknown')).toEqual({ kind: 'default', excluded: [] });
});

test('OSDs that missing copies hold are held until the copies are there, not until they are in their place', () => {
  const next = (cleanliness: Cleanliness, draining: string) =>
    decide({ osds: [up(0, 'z1'), up(1, 'z2')], cleanliness, draining });
  expect(next('unclean', '')).toEqual({ kind: 'blocking', draining: '', isPlanned: false });
  expect(next('unknown', '')).toEqual({ kind: 'blocking', draining: '', isPlanned: false });
  expect(next('misplaced', '')).toEqual({ kind: 'default', excluded: [] });
  expect(next('misplaced', 'z1')).toEqual({ kind: 'blocking', draining: 'z1', isPlanned: false });
});

test('W20 a drained node whose data has been copied elsewhere holds back nobody', () => {
  const osds = [drained(0, 'z1'), up(1, 'z2')];
  expect(decide({ osds, cleanliness: 'clean', draining: 'z1' })).toEqual({ kind: 'default', excluded: [0] });
});

test('with a silent Ceph, an OSD that is down blocks the others, and nothing is given back', () => {
  expect(
    decide({ osds: [drained(0, 'z1'), up(1, 'z2')], cleanliness: 'unknown', draining: undefined }),
  ).toEqual({
    kind: 'blocking',
    draining: 'z1',
    isPlanned: true,
  });
  expect(decide({ osds: [up(0, 'z1')], cleanliness: 'unknown', draining: 'z1' })).toMatchObject({
    kind: 'blocking',
    draining: 'z1',
  });
});

test('without knowing that all is clean, an OSD that is down never leaves the others unprotected', () => {
  const osd = fc.record({
    id: fc.nat({ max: 9 }),
    domain: fc.constantFrom('', 'x', 'y', 'z'),
    isDown: fc.boolean(),
    isDrained: fc.boolean(),
  });
  const cleanliness = fc.constantFrom<Cleanliness>('clean', 'misplaced', 'unclean', 'unknown');
  const before = fc.constantFrom(undefined, 'x', 'y', 'gone');
  fc.assert(
    fc.property(fc.array(osd), cleanliness, before, (found, state, draining) => {
      const osds = found.map((one) => ({ ...one, isDrained: one.isDown && one.isDrained }));
      const next = decide({ osds, cleanliness: state, draining });
      const anyDown = osds.some(({ isDown }) => isDown);
      if (state !== 'clean' && anyDown) expect(next.kind).toBe('blocking');
      if (next.kind === 'blocking' && anyDown) {
        const drainable = osds.filter(({ isDown, domain }) => isDown && domain === next.draining);
        expect(drainable.length > 0).toBe(true);
      }
    }),
  );
});
