import { expect, test } from 'vitest';
import type { OsdMap } from '#pkg/ceph';
import type { NooutRecord } from './drain-state.ts';
import { nooutHolds } from './noout-hold.ts';

const MINUTE = 60_000;
const RECORD: NooutRecord = { domain: 'zone-x', since: 0, phase: 'set' };

function mapWith(buckets: readonly string[], flags: readonly string[] = []): OsdMap {
  const bucketFlags = new Map(buckets.map((bucket) => [bucket, ['noout']]));
  return { epoch: 1, crushVersion: 1, osds: [], pools: [], flags, bucketFlags };
}

const holds = (
  records: readonly NooutRecord[],
  osdMap: OsdMap | undefined,
  now = 7 * MINUTE,
): readonly string[] =>
  nooutHolds({ type: 'zone', records, timeoutMs: 30 * MINUTE, osdMap, now }).map(({ message }) => message);

test('says how long a flag still holds', () => {
  const set = mapWith(['zone-x']);
  expect(holds([RECORD], set)).toEqual(['noout on zone zone-x holds for 23m more']);
  expect(holds([RECORD], undefined)).toEqual(['noout on zone zone-x holds for 23m more']);
  expect(holds([RECORD], set, 30 * MINUTE)).toEqual(['noout on zone zone-x is about to be taken off']);
  expect(
    nooutHolds({ type: 'zone', records: [RECORD], timeoutMs: 30 * MINUTE, osdMap: set, now: 0 }),
  ).toMatchObject([{ domain: 'zone-x', until: 30 * MINUTE }]);
});

test('says that its time is over, or that somebody took it off', () => {
  expect(holds([{ ...RECORD, phase: 'expired' }], mapWith([]))).toEqual([
    'noout on zone zone-x is over: Ceph moves its data elsewhere',
  ]);
  expect(holds([RECORD], mapWith([]))).toEqual(['noout on zone zone-x is not set']);
});

test('names flags of others, which nobody takes off', () => {
  expect(holds([], mapWith(['node-b'], ['noout', 'sortbitwise']))).toEqual([
    'noout is set on node-b, by somebody else: it stays',
    'noout is set on the whole cluster, by somebody else: it stays',
  ]);
  expect(holds([], mapWith([]))).toEqual([]);
});

test('names the OSDs that have a flag of their own', () => {
  const osds = [0, 1].map((id) => ({ id, isUp: true, isIn: true, state: id === 1 ? ['noout'] : ['exists'] }));
  expect(holds([], { ...mapWith([]), osds })).toEqual([
    'noout is set on osd.1 alone, by a maintenance or by somebody else',
  ]);
});
