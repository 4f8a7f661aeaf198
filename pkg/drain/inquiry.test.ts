import { describe, expect, test } from 'vitest';
import { cephClient } from '#pkg/ceph';
import { Kinds, type KubeObject } from '#pkg/object';
import type { DrainReport, MaintenanceNote } from '#pkg/verdict';
import { fakeRunner, type Reply } from '#test/fakes/ceph-runner.ts';
import { fakeReader } from '#test/fakes/reader.ts';
import { aBudget } from '#test/fixtures/budgets.ts';
import { aBlockingBudget, aDrain, aZone, READY } from '#test/fixtures/drains.ts';
import { aCluster, anObject, aPool } from '#test/fixtures/objects.ts';
import { aNode, anOsd } from '#test/fixtures/osds.ts';
import type { LookPorts } from './cluster-look.ts';
import { inquireDrains } from './inquiry.ts';

const { signal } = new AbortController();
const NOW = Date.parse('2026-11-18T10:00:00Z');
const ZONES = ['zone-x', 'zone-y', 'zone-z'];
const OSDS = { matchLabels: { app: 'rook-ceph-osd' } };
const NOBODY = (): Promise<readonly MaintenanceNote[]> => Promise.resolve([]);
const OURS = { 'app.kubernetes.io/managed-by': 'rook-deps' };

/** Three zones with a node and an OSD each; those in `down` are cordoned and gone. */
function zones(down: readonly number[] = []): readonly KubeObject[] {
  return ZONES.flatMap((zone, id) => aZone(zone, id, down.includes(id)));
}

interface Answers {
  readonly down?: readonly number[];
  readonly minSize?: number;
  readonly state?: string;
  readonly noout?: readonly string[];
}

function replies({ down = [], minSize = 2, state, noout = [] }: Answers): Readonly<Record<string, Reply>> {
  const up = [0, 1, 2].filter((id) => !down.includes(id));
  const osds = [0, 1, 2].map((osd) => ({ osd, up: up.includes(osd) ? 1 : 0, in: 1, state: [] }));
  const pools = [{ pool: 1, pool_name: 'p', size: 3, min_size: minSize, crush_rule: 0, type: 1 }];
  const crush_node_flags = Object.fromEntries(noout.map((bucket) => [bucket, ['noout']]));
  const steps = [{ op: 'chooseleaf_firstn', type: 'zone', num: 0 }];
  const words = state ?? (down.length > 0 ? 'active+undersized' : 'active+clean');
  const groups = ['1.0', '1.1'].map((pgid) => ({ pgid, state: words, acting: up }));
  const reports = [0, 1, 2].map((osd) => ({ osd, seq: 1 }));
  return {
    'ceph osd dump': { json: { epoch: 1, crush_version: 1, osds, pools, flags_set: [], crush_node_flags } },
    'ceph osd crush rule dump': { json: [{ rule_id: 0, rule_name: 'r', steps }] },
    'ceph osd tree': { json: { nodes: [], stray: [] } },
    'ceph tell': { code: 0, stdout: up.map((osd) => `osd.${osd}: 1\n`).join(''), stderr: '' },
    'ceph pg dump': { json: { pg_ready: true, pg_stats: groups, osd_stats: reports } },
    'ceph quorum_status': {
      json: { monmap: { mons: ['a', 'b', 'c'].map((name) => ({ name })) }, quorum_names: ['a', 'b', 'c'] },
    },
  };
}

async function ask(
  name: string,
  objects: readonly KubeObject[],
  answers: Readonly<Record<string, Reply>> | undefined,
  parts: Partial<Pick<LookPorts, 'leavesOutCeph' | 'maintenances'>> = {},
): Promise<DrainReport> {
  const all = objects.some(({ kind }) => kind === 'CephCluster') ? objects : [aCluster(), ...objects];
  const node = all.find(({ kind, metadata }) => kind === 'Node' && metadata.name === name);
  const clock = { now: () => NOW, sleep: () => Promise.resolve() };
  const cephOf = () => (answers ? cephClient(fakeRunner(answers)) : undefined);
  const reports = await inquireDrains(
    node ? [node] : [],
    { reader: fakeReader(all), cephOf, clock, maintenances: NOBODY, ...parts },
    signal,
  );
  const [report] = reports;
  if (!report) throw new Error('no report');
  return report;
}

const standard = { ...aBudget('rook-ceph-osd', OSDS, { allowed: 1, needs: 2, has: 3 }) };
const ours = { ...standard, metadata: { ...standard.metadata, labels: OURS } };
test('a node of a quiet cluster can be drained, and says what would go', async () => {
  const report = await ask('node-1', [...zones(), ours], replies({}));
  expect(report).toMatchObject({
    verdict: 'Drainable',
    causes: [],
    gaps: [],
    clusters: [
      {
        budgetsBy: 'rook-deps',
        domainType: 'zone',
        domains: ['zone-y'],
        down: [],
        leaving: [1],
        placementGroups: '2 active+clean',
        wouldStop: 0,
        wouldDegrade: 2,
        noout: [],
      },
    ],
    next: [
      'kubectl rook-deps maintenance start node-1',
      'kubectl drain node-1 --ignore-daemonsets --delete-emptydir-data',
    ],
  });
});

describe('while another zone drains', () => {
  const world = aDrain(NOW - 7 * 60_000);
  const answers = replies({ down: [0], noout: ['zone-x'] });

  test('W27 a node is held for its sake: which budget, how the data is, how long noout holds', async () => {
    const report = await ask('node-1', world, answers);
    expect(report.verdict).toBe('Blocked');
    expect(report.causes.map(({ code, message, domain }) => [code, message, domain])).toEqual([
      [
        'RD070',
        'rook-ceph-osd-zone-zone-y holds osd.1 because zone zone-x drains (placement groups: 2 active+undersized)',
        'zone-x',
      ],
      ['RD073', '2 placement groups would not be served without osd.1', undefined],
    ]);
    expect(report.clusters[0]?.noout).toEqual([
      { message: 'noout on zone zone-x holds for 23m more', until: '2026-11-18T10:23:00.000Z' },
    ]);
    expect(report.next).toEqual([
      'kubectl rook-deps why node/node-0',
      'kubectl rook-deps explain RD070',
      'kubectl rook-deps explain RD073',
    ]);
  });

  test('the node that drains is held by nothing, and may come back', async () => {
    const report = await ask('node-0', world, answers);
    expect(report).toMatchObject({ verdict: 'Drainable', drained: 'cordoned', causes: [] });
    expect(report.next).toEqual(['kubectl uncordon node-0']);
  });

  test('11.4 the same is told where Rook keeps the budgets, from what Rook has written down', async () => {
    const rooks = [
      aCluster('rook-ceph', { spec: { disruptionManagement: { managePodBudgets: true } } }),
      ...zones([0]),
      aBlockingBudget('zone-y'),
      aBlockingBudget('zone-z'),
      anObject(Kinds.ConfigMap, 'rook-ceph-pdbstatemap', {
        data: {
          'draining-failure-domain': 'zone-x',
          'set-no-out': 'true',
          'zone-x-noout-last-set-at': '2026-11-18T09:50:00Z',
        },
      }),
    ];
    const reader = fakeReader(rooks);
    const node = rooks.find(({ metadata }) => metadata.name === 'node-1');
    if (!node) throw new Error('no node');
    const clock = { now: () => NOW, sleep: () => Promise.resolve() };
    const cephOf = () => cephClient(fakeRunner(answers));
    const [report] = await inquireDrains([node], { reader, cephOf, clock, maintenances: NOBODY }, signal);
    expect(report?.causes[0]).toMatchObject({ code: 'RD070', domain: 'zone-x' });
    expect(report?.clusters[0]).toMatchObject({
      budgetsBy: 'Rook',
      noout: [{ message: 'noout on zone zone-x holds for 20m more' }],
    });
  });
});

test('a node is not safe while Ceph says nothing', async () => {
  const report = await ask('node-1', [...zones(), ours], { ceph: 'silence' });
  expect(report.verdict).toBe('Unknown');
  expect(report.gaps).toEqual([
    { what: 'placement groups of CephCluster rook-ceph/rook-ceph', reason: '"ceph osd dump" had no answer' },
  ]);
});

test('a node is not safe when nobody asks Ceph, unless that was wanted', async () => {
  const world = [...zones(), ours, aPool('p', { spec: { failureDomain: 'zone' } })];
  expect((await ask('node-1', world, undefined)).verdict).toBe('Unknown');
  const report = await ask('node-1', world, undefined, { leavesOutCeph: true });
  expect(report).toMatchObject({ verdict: 'Drainable', gaps: [], clusters: [{ domainType: 'zone' }] });
  expect(report.clusters[0]).not.toHaveProperty('wouldStop');
});

test('data that would not be served blocks, whatever budgets allow', async () => {
  const report = await ask('node-1', zones(), replies({ minSize: 3 }));
  expect(report).toMatchObject({ verdict: 'Blocked', clusters: [{ budgetsBy: 'nobody', wouldStop: 2 }] });
  expect(report.causes.map(({ code }) => code)).toEqual(['RD073']);
});

test('groups whose state nobody knows leave the question open', async () => {
  const report = await ask('node-1', [...zones(), ours], replies({ state: 'unknown' }));
  expect(report.verdict).toBe('Unknown');
  expect(report.gaps.map(({ reason }) => reason)).toEqual(['Ceph does not know their state']);
});

test('monitors that would lose their quorum block', async () => {
  const mon = (name: string): KubeObject =>
    anObject(Kinds.Pod, `mon-${name}`, {
      labels: { app: 'rook-ceph-mon', ceph_daemon_id: name },
      ownerReferences: [{ apiVersion: 'v1', kind: 'ReplicaSet', name: 'r', uid: 'u', controller: true }],
      spec: { nodeName: 'node-9' },
      status: READY,
    });
  const one = await ask('node-9', [...zones(), aNode('node-9'), mon('a')], replies({}));
  expect(one.verdict).toBe('Drainable');
  const two = await ask('node-9', [...zones(), aNode('node-9'), mon('a'), mon('b')], replies({}));
  expect(two.causes.map(({ message }) => message)).toEqual([
    'the monitors would lose their quorum without mon.a and mon.b: 1 would be left, and 2 are needed',
  ]);
});

describe('a node without Ceph', () => {
  const pod = (name: string, parts: object = {}): KubeObject =>
    anObject(Kinds.Pod, name, { namespace: 'shop', spec: { nodeName: 'plain' }, status: READY, ...parts });

  test('does not make anybody ask Ceph, and is held by budgets of others', async () => {
    const budget = aBudget('web', {}, { namespace: 'shop', allowed: 0, needs: 1, has: 1 });
    const report = await ask('plain', [...zones(), aNode('plain'), pod('web-1'), budget], {
      ceph: 'silence',
    });
    expect(report).toMatchObject({ verdict: 'Blocked', clusters: [], gaps: [] });
    expect(report.causes).toMatchObject([{ code: 'RD071', object: { namespace: 'shop', name: 'web' } }]);
    expect(report.notes).toEqual([
      'nobody makes shop/web-1 again: kubectl drain wants --force, and then they are gone',
    ]);
  });

  test('leaves out what a drain leaves alone', async () => {
    const budget = aBudget('web', {}, { namespace: 'shop', allowed: 0 });
    const daemon = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u', controller: true }];
    const pods = [
      pod('agent', { ownerReferences: daemon }),
      pod('static', { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
    ];
    const report = await ask('plain', [aNode('plain'), ...pods, budget], undefined);
    expect(report).toMatchObject({ verdict: 'Drainable', causes: [], notes: [] });
  });

  test('that is NotReady says so', async () => {
    const report = await ask('plain', [aNode('plain', {}, 'False')], undefined);
    expect(report.notes[0]).toContain('NotReady');
  });
});

test('what may not be listed is a gap', async () => {
  const all = [aCluster(), ...zones()];
  const reader = fakeReader(all);
  const refused: typeof reader.list = async (request, stop) =>
    request.kind.kind === 'PodDisruptionBudget'
      ? { items: [], gaps: [{ what: 'PodDisruptionBudget', reason: 'forbidden' }] }
      : reader.list(request, stop);
  const node = all.find(({ metadata }) => metadata.name === 'node-1');
  if (!node) throw new Error('no node');
  const clock = { now: () => NOW, sleep: () => Promise.resolve() };
  const ports = {
    reader: { ...reader, list: refused },
    cephOf: () => cephClient(fakeRunner(replies({}))),
    clock,
    maintenances: NOBODY,
  };
  const [report] = await inquireDrains([node], ports, signal);
  expect(report).toMatchObject({ verdict: 'Unknown', gaps: [{ reason: 'forbidden' }] });
});

describe('maintenances', () => {
  const note = (node: string, parts: Partial<MaintenanceNote> = {}): MaintenanceNote => ({
    node,
    phase: 'Ready',
    message: 'drained: the node can be powered off',
    since: '2026-11-18T09:48:00Z',
    isStopping: false,
    ...parts,
  });
  const kept = (...notes: readonly MaintenanceNote[]): { maintenances: typeof NOBODY } => ({
    maintenances: () => Promise.resolve(notes),
  });

  const pending: MaintenanceNote = { node: 'node-2', phase: 'Pending', message: '', isStopping: false };

  test('of the node itself are told, and end by a stop, not by an uncordon', async () => {
    const world = aDrain(NOW - 7 * 60_000);
    const own = note('node-0', { requestedBy: 'alice', reason: 'new disk' });
    const report = await ask('node-0', world, replies({ down: [0] }), kept(own));
    expect(report).toMatchObject({
      verdict: 'Drainable',
      maintenance: { phase: 'Ready', requestedBy: 'alice', reason: 'new disk', since: own.since },
      otherMaintenances: [],
      next: ['kubectl rook-deps maintenance status node-0', 'kubectl rook-deps maintenance stop node-0'],
    });
  });

  test('that are under way are to be looked at, and not begun again', async () => {
    const draining = note('node-1', { phase: 'Draining' });
    expect((await ask('node-1', zones(), replies({}), kept(draining))).next).toEqual([
      'kubectl rook-deps maintenance status node-1',
    ]);
    const stopping = note('node-1', { isStopping: true });
    expect((await ask('node-1', zones(), replies({}), kept(stopping))).next).toEqual([
      'kubectl rook-deps maintenance status node-1',
    ]);
  });

  test('of a node in another domain are told to whoever has to wait for it', async () => {
    const report = await ask('node-1', aDrain(NOW), replies({ down: [0] }), kept(note('node-0')));
    expect(report).toMatchObject({
      verdict: 'Blocked',
      otherMaintenances: [{ node: 'node-0', domain: 'zone zone-x', phase: 'Ready' }],
    });
    expect(report.maintenance).toBeUndefined();
    expect(report.next.slice(0, 2)).toEqual([
      'kubectl rook-deps maintenance status node-0',
      'kubectl rook-deps explain RD070',
    ]);
  });

  test('of a node in another domain that still runs are told as well', async () => {
    const report = await ask('node-1', zones(), replies({}), kept(note('node-0', { phase: 'Running' })));
    expect(report).toMatchObject({
      verdict: 'Drainable',
      otherMaintenances: [{ node: 'node-0' }],
      next: ['kubectl rook-deps maintenance status node-0'],
    });
  });

  test('of nodes in the same domain or without Ceph, or that have not begun, are in the way of nobody', async () => {
    const twin = [aNode('twin'), ...zones(), anOsd(7, { zone: 'zone-y', node: 'twin' }), aNode('plain')];
    const report = await ask('node-1', twin, replies({}), kept(note('twin'), note('plain'), pending));
    expect(report.otherMaintenances).toEqual([]);
    const plain = await ask('plain', twin, replies({}), kept(note('twin')));
    expect(plain.otherMaintenances).toEqual([]);
  });

  test('of a command and of the controller on the same node: the one that has begun is told', async () => {
    const waiting = { ...pending, node: 'node-1' };
    const report = await ask('node-1', zones(), replies({}), kept(waiting, note('node-1')));
    expect(report.maintenance?.phase).toBe('Ready');
  });

  test('that cannot be read leave the answer open', async () => {
    const maintenances = (): Promise<never> => Promise.reject(new Error('forbidden'));
    const report = await ask('node-1', zones(), replies({}), { maintenances });
    expect(report).toMatchObject({
      verdict: 'Unknown',
      gaps: [{ what: 'which nodes are in maintenance', reason: 'forbidden' }],
    });
  });
});
