import { describe, expect, test } from 'vitest';
import { Kinds, type KubeObject } from '#pkg/object';
import { anObject } from '#test/fixtures/objects.ts';
import { aNode, anOsd, anOsdPod, type OsdParts } from '#test/fixtures/osds.ts';
import { osdFacts, type OsdFacts } from './osd-facts.ts';

/** Three zones with an OSD each; what a row says of them is laid over that. */
function threeZones(
  osds: Readonly<Record<number, OsdParts>>,
  nodes: Readonly<Record<string, KubeObject | undefined>> = {},
): readonly OsdFacts[] {
  const ids = [1, 2, 3];
  const standing = Object.fromEntries(ids.map((id) => [`node${id}`, aNode(`node${id}`)]));
  return osdFacts('zone', {
    deployments: ids.map((id) => anOsd(id, { zone: `z${id}`, node: `node${id}`, ...osds[id] })),
    pods: [],
    nodes: Object.values({ ...standing, ...nodes }).filter((node) => node !== undefined),
    lastNodes: new Map(ids.map((id) => [id, `node${id}`])),
  });
}

function summary(osds: readonly OsdFacts[]): unknown {
  const names = (of: (osd: OsdFacts) => boolean): readonly string[] =>
    [...new Set(osds.filter(of).map(({ domain }) => domain))].sort();
  return {
    all: names(() => true).length,
    drained: names(({ isDrained }) => isDrained),
    down: names(({ isDown }) => isDown),
    downOsds: osds.filter(({ isDown }) => isDown).map(({ id }) => id),
  };
}

const DOWN = { ready: false } as const;
const cordoned = (name: string): KubeObject => aNode(name, { unschedulable: true });

describe('14.7 OSDs and their nodes', () => {
  test.for([
    { row: 1, osds: {}, nodes: {}, expected: { all: 3, drained: [], down: [], downOsds: [] } },
    {
      row: 2,
      osds: { 1: DOWN },
      nodes: { node1: cordoned('node1') },
      expected: { all: 3, drained: ['z1'], down: ['z1'], downOsds: [1] },
    },
    {
      row: 3,
      osds: { 1: DOWN, 2: DOWN },
      nodes: { node1: cordoned('node1'), node2: cordoned('node2') },
      expected: { all: 3, drained: ['z1', 'z2'], down: ['z1', 'z2'], downOsds: [1, 2] },
    },
    { row: 4, osds: { 1: DOWN }, nodes: {}, expected: { all: 3, drained: [], down: ['z1'], downOsds: [1] } },
    {
      row: 5,
      osds: { 3: DOWN },
      nodes: { node3: cordoned('node3') },
      expected: { all: 3, drained: ['z3'], down: ['z3'], downOsds: [3] },
    },
    {
      row: 6,
      osds: { 3: DOWN },
      nodes: { node3: undefined },
      expected: { all: 3, drained: ['z3'], down: ['z3'], downOsds: [3] },
    },
    {
      row: 7,
      osds: { 1: DOWN, 2: DOWN },
      nodes: { node1: undefined, node2: undefined },
      expected: { all: 3, drained: ['z1', 'z2'], down: ['z1', 'z2'], downOsds: [1, 2] },
    },
    {
      row: 9,
      osds: {
        1: { ready: false, annotations: { 'osd.rook.io/replace-in-progress': 'true' } },
        2: { ready: false, annotations: { 'osd.rook.io/replace': 'yes-really-replace-osd-2' } },
        3: { ready: false, labels: { 'ceph.rook.io/do-not-reconcile': 'true' } },
      },
      nodes: { node3: cordoned('node3') },
      expected: { all: 3, drained: ['z3'], down: ['z2', 'z3'], downOsds: [2, 3] },
    },
  ])('row $row', ({ osds, nodes, expected }) => {
    expect(summary(threeZones(osds, nodes))).toEqual(expected);
  });

  test('row 8, W25: an OSD without a label is a domain of its own, and stops nobody', () => {
    const facts = threeZones({ 1: { zone: '' }, 2: DOWN }, { node2: cordoned('node2') });
    expect(facts.map(({ domain }) => domain)).toEqual(['', 'z2', 'z3']);
    expect(facts[1]).toMatchObject({ isDown: true, isDrained: true });
  });
});

describe('a node', () => {
  const of = (node: KubeObject | undefined): boolean | undefined =>
    threeZones({ 1: DOWN }, { node1: node })[0]?.isDrained;

  test('W24 that is out of service is drained, one that is merely NotReady is not', () => {
    const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
    expect(of(aNode('node1', { taints }))).toBe(true);
    expect(of(aNode('node1', {}, 'False'))).toBe(false);
    expect(of(aNode('node1'))).toBe(false);
  });
});

describe('the node of an OSD', () => {
  const drained = [cordoned('a'), aNode('b')];
  const facts = (deployment: KubeObject, pods: readonly KubeObject[], last: readonly [number, string][]) =>
    osdFacts('zone', { deployments: [deployment], pods, nodes: drained, lastNodes: new Map(last) })[0];
  const portable = anOsd(0, { zone: 'x', ready: false });

  test('is where its pod is', () => {
    expect(facts(portable, [anOsdPod(0, { node: 'b' })], [[0, 'a']])?.isDrained).toBe(false);
    expect(facts(portable, [anOsdPod(0, { node: 'a' })], [[0, 'b']])?.isDrained).toBe(true);
  });

  test('is where its pod has to be, while that waits', () => {
    const bound = anOsd(0, { zone: 'x', ready: false, node: 'a' });
    expect(facts(bound, [anOsdPod(0, {})], [[0, 'b']])?.isDrained).toBe(true);
  });

  test('is where Ceph last saw it, when it may run anywhere', () => {
    expect(facts(portable, [], [[0, 'a']])?.isDrained).toBe(true);
    expect(facts(portable, [], [])?.isDrained).toBe(false);
  });
});

test('W30 an OSD with a second Deployment for maintenance is up when either is ready', () => {
  const facts = osdFacts('zone', {
    deployments: [
      anOsd(4, { zone: 'x', ready: false }),
      anOsd(4, { zone: 'x', name: 'rook-ceph-osd-4-maintenance' }),
    ],
    pods: [],
    nodes: [],
    lastNodes: new Map(),
  });
  expect(facts).toEqual([{ id: 4, domain: 'x', isDown: false, isDrained: false }]);
});

test('a Deployment without a number is none of an OSD', () => {
  const stranger = anObject(Kinds.Deployment, 'x', { labels: { app: 'rook-ceph-osd' } });
  expect(osdFacts('zone', { deployments: [stranger], pods: [], nodes: [], lastNodes: new Map() })).toEqual(
    [],
  );
});
