import { beforeEach, describe, expect, test } from 'vitest';
import type { OsdFacts } from '#pkg/drain';
import type { KubeObject, Writer } from '#pkg/object';
import { aCluster, aFilesystem, aPool, aStore } from '#test/fixtures/objects.ts';
import { isOurs, osdBudgets, ownerOf } from './budgets.ts';
import { daemonBudgets } from './daemon-budgets.ts';
import { handOver } from './hand-over.ts';
import type { Observation } from './observation.ts';

const { signal } = new AbortController();
const cluster = aCluster('rook-ceph', { uid: 'cluster', spec: { mon: { count: 3 }, mgr: { count: 2 } } });
const OWNER = ownerOf(cluster);
const OSDS: readonly OsdFacts[] = ['x', 'y', 'z', ''].map((domain, id) => ({
  id,
  domain,
  ...(domain === '' ? { isUnlabelled: true } : {}),
  isDown: id === 0,
  isDrained: id === 0,
}));
const OF_DRAIN = osdBudgets({ kind: 'blocking', draining: 'x', isPlanned: true }, 'zone', OSDS, OWNER);
const ZONES = [aPool('p', { spec: { failureDomain: 'zone' } })];
const HOSTS = [aPool('p', { spec: { failureDomain: 'host' } })];

const lines: string[] = [];
const there = new Map<string, KubeObject>();
beforeEach(() => {
  lines.length = 0;
  there.clear();
});

const writer: Writer = {
  create: () => Promise.reject(new Error('not used here')),
  createReview: () => Promise.reject(new Error('not used here')),
  apply: (object) => {
    lines.push(`apply ${object.metadata.name}`);
    there.set(object.metadata.name, object);
    return Promise.resolve(object);
  },
  patch: (ref, { body }) => {
    lines.push(`patch ${ref.name}`);
    const found = there.get(ref.name);
    if (!found) throw new Error('not found');
    const { metadata } = body as { readonly metadata: object };
    const changed = { ...found, metadata: { ...found.metadata, ...metadata } };
    there.set(ref.name, changed);
    return Promise.resolve(changed);
  },
  delete: ({ name }) => {
    lines.push(`delete ${name}`);
    there.delete(name);
    return Promise.resolve('deleted');
  },
};

function handedOver(budgets: readonly KubeObject[], services: readonly KubeObject[]): Promise<boolean> {
  for (const budget of budgets) there.set(budget.metadata.name, budget);
  const none: readonly KubeObject[] = [];
  const seen: Observation = {
    deployments: none,
    pods: none,
    nodes: none,
    budgets,
    services,
    state: { noout: [] },
    hasState: false,
  };
  return handOver(seen, OWNER, undefined, writer, signal);
}

describe('handed over to Rook in the middle of a drain', () => {
  test('what Rook holds under the same names stays, without our marks, and no default comes', async () => {
    expect(await handedOver(OF_DRAIN, ZONES)).toBe(true);
    expect(lines).toEqual([
      'delete rook-ceph-osd-unplaced',
      'patch rook-ceph-osd-zone-y',
      'patch rook-ceph-osd-zone-z',
    ]);
    expect([...there.values()].filter(isOurs)).toEqual([]);
  });

  test('killed in between, the rest follows', async () => {
    const [left] = OF_DRAIN.filter(({ metadata }) => metadata.name.endsWith('z'));
    await handedOver(left ? [left] : [], ZONES);
    expect(lines).toEqual(['patch rook-ceph-osd-zone-z']);
  });

  test.for([
    { name: 'Rook keeps other domains apart', services: HOSTS },
    { name: 'Rook has no pool and does nothing', services: [] },
  ])('where $name, one for all is left instead, for nobody would take these away', async ({ services }) => {
    await handedOver(OF_DRAIN, services);
    expect(lines[0]).toBe('apply rook-ceph-osd');
    expect([...there.keys()]).toEqual(['rook-ceph-osd']);
  });
});

describe('budgets of daemons handed over to Rook', () => {
  const services = [
    aFilesystem('f', { uid: 'f', spec: { metadataServer: { activeCount: 2 } } }),
    aStore('s', { uid: 's', spec: { gateway: { instances: 2 } } }),
    aMirror('m'),
  ];
  const monitors = { quorum: undefined, allowed: undefined };
  const daemons = daemonBudgets(cluster, services, monitors, OWNER);

  test('stay under the names that Rook has, and the others go', async () => {
    expect(await handedOver(daemons, services)).toBe(true);
    expect(lines).toEqual([
      'patch rook-ceph-mon-pdb',
      'patch rook-ceph-mgr-pdb',
      'patch rook-ceph-mds-f',
      'patch rook-ceph-rgw-s',
      'delete rook-ceph-rbd-mirror',
    ]);
    expect([...there.values()].filter(isOurs)).toEqual([]);
  });

  test('go with what they are for, as those that Rook makes', async () => {
    await handedOver(daemons, services);
    const owners = (name: string): unknown =>
      there.get(name)?.metadata.ownerReferences?.map(({ kind, uid }) => `${kind} ${uid}`);
    expect(owners('rook-ceph-mds-f')).toEqual(['CephFilesystem f']);
    expect(owners('rook-ceph-rgw-s')).toEqual(['CephObjectStore s']);
    expect(owners('rook-ceph-mon-pdb')).toEqual(['CephCluster cluster']);
  });

  test('go where what they are for is gone', async () => {
    await handedOver(daemons, []);
    expect(lines).toContain('delete rook-ceph-mds-f');
    expect(lines).toContain('delete rook-ceph-rgw-s');
  });
});

function aMirror(name: string): KubeObject {
  return {
    apiVersion: 'ceph.rook.io/v1',
    kind: 'CephRBDMirror',
    metadata: { name, namespace: 'rook-ceph' },
    spec: { count: 2 },
  };
}
