import { expect, test } from 'vitest';
import type { OsdFacts } from '#pkg/drain';
import type { KubeObject } from '#pkg/object';
import { aCluster } from '#test/fixtures/objects.ts';
import { aNode } from '#test/fixtures/osds.ts';
import { tellOfDrain, type DrainNews } from './tidings.ts';

const { signal } = new AbortController();
const up = (id: number, node: string): OsdFacts => ({
  id,
  domain: 'x',
  isDown: false,
  isDrained: false,
  node,
});
const down = (id: number, node: string): OsdFacts => ({ ...up(id, node), isDown: true });
const BLOCKING = { kind: 'blocking', draining: 'x', isPlanned: true } as const;
const QUIET = { kind: 'default', excluded: [] } as const;

async function told(news: Partial<DrainNews>): Promise<readonly string[]> {
  const lines: string[] = [];
  const b = aNode('b');
  const renamed: KubeObject = {
    ...b,
    metadata: { ...b.metadata, labels: { 'kubernetes.io/hostname': 'b.lan' } },
  };
  const all: DrainNews = {
    before: undefined,
    protection: QUIET,
    type: 'zone',
    osds: [],
    health: undefined,
    ...news,
  };
  const record = (object: KubeObject, reason: string, note: string): Promise<void> => {
    lines.push(`${object.metadata.name} ${reason}: ${note}`);
    return Promise.resolve();
  };
  await tellOfDrain(all, aCluster('c'), { nodes: [aNode('a'), renamed] }, record, signal);
  return lines;
}

const reasons = async (news: Partial<DrainNews>): Promise<readonly string[]> =>
  (await told(news)).map((line) => line.split(':')[0] ?? '');

test('the beginning of a drain is told on the nodes whose OSDs are down, the end on all of the domain', async () => {
  const osds = [up(0, 'a'), down(1, 'b.lan')];
  expect(await reasons({ protection: BLOCKING, osds })).toEqual(['c DrainStarted', 'b DrainStarted']);
  const back = [up(0, 'a'), up(1, 'b.lan')];
  expect(await reasons({ before: 'x', osds: back })).toEqual([
    'c DrainEnded',
    'a DrainEnded',
    'b DrainEnded',
  ]);
});

test('nothing is told while nothing changes', async () => {
  expect(await told({ before: 'x', protection: BLOCKING, osds: [down(0, 'a')] })).toEqual([]);
  expect(await told({})).toEqual([]);
});

test('copies that are missing without a drain are told as such, and so is their return', async () => {
  const protection = { ...BLOCKING, draining: '' };
  expect(await told({ protection, osds: [up(0, 'a')] })).toEqual([
    'c CopiesMissing: copies are missing although no OSD is down; all OSDs must stay until they are there (Ceph does not tell how its placement groups are)',
  ]);
  expect(await told({ before: '', osds: [up(0, 'a')] })).toEqual([
    'c CopiesComplete: all copies are there; one OSD may go (Ceph does not tell how its placement groups are)',
  ]);
});

test('OSDs that are not counted are named', async () => {
  const protection = { ...QUIET, excluded: [3, 4] };
  expect(await told({ before: 'x', protection })).toEqual([
    'c DrainEnded: all placement groups are clean; zone x holds back nobody any more: one OSD may go, without counting osd.3, osd.4',
  ]);
});
