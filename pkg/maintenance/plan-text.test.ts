import { describe, expect, test } from 'vitest';
import type { KubeObject } from '#pkg/object';
import { aRequest, aWorkload, MaintenanceWorld } from '#test/fakes/maintenance-world.ts';
import { aBudget } from '#test/fixtures/budgets.ts';
import { aCluster } from '#test/fixtures/objects.ts';
import { conflictsIn } from './conflicts.ts';
import { inquire } from './inquiry.ts';
import type { MaintenanceRequest } from './maintenance.ts';
import { Observer } from './observe.ts';
import { planText } from './plan-text.ts';
import { NEW_STATUS } from './status.ts';

const { signal } = new AbortController();

async function plan(world: MaintenanceWorld, request: Partial<MaintenanceRequest> = {}): Promise<string> {
  const { ports } = world;
  const origin = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-x' } };
  const maintenance = { request: aRequest(request), isStopping: false, status: NEW_STATUS, origin };
  const seen = await new Observer(ports.reader).look(maintenance, 0, signal);
  const surroundings = await inquire(seen, ports, signal);
  return planText(seen, surroundings, conflictsIn(seen, surroundings)).join('\n');
}

function aDaemon(app: string, labels: Readonly<Record<string, string>> = {}, node = 'node-x'): KubeObject {
  const name = `rook-ceph-${app}-${Object.values(labels).join('-')}-${node}`;
  return aWorkload(name, node, { namespace: 'rook-ceph', labels: { app: `rook-ceph-${app}`, ...labels } });
}

test('names every daemon of Ceph, however many other pods there are', async () => {
  const others = Array.from({ length: 40 }, (_, at) => aWorkload(`web-${at}`, 'node-x'));
  const lines = await plan(new MaintenanceWorld(...others));
  expect(lines).toContain('42 pods will be evicted');
  expect(lines).toContain('rook-ceph/rook-ceph-osd-0-pod');
  expect(lines).toContain('rook-ceph/rook-ceph-osd-1-pod');
  expect(lines).toContain('and 10 more that do not use Ceph');
});

test('says what each daemon is, and which of them serves', async () => {
  const world = new MaintenanceWorld(
    aDaemon('mgr', { mgr: 'a', mgr_role: 'standby' }),
    aDaemon('mds', { mds: 'myfs-a', rook_file_system: 'myfs' }),
    aDaemon('mds', { mds: 'myfs-b', rook_file_system: 'myfs' }),
    aDaemon('rgw', { rook_object_store: 's3' }),
    aDaemon('tools'),
  );
  world.ranks = [{ name: 'myfs-a', rank: 0, state: 'up:active' }];
  const lines = await plan(world);
  expect(lines).toMatch(/mgr-a-standby-node-x +manager, standby$/m);
  expect(lines).toMatch(/mds-myfs-a-myfs-node-x +metadata server of filesystem myfs, rank 0, active$/m);
  expect(lines).toMatch(/mds-myfs-b-myfs-node-x +metadata server of filesystem myfs, standby$/m);
  expect(lines).toMatch(/rgw-s3-node-x +gateway of object store s3$/m);
  expect(lines).toMatch(/tools--node-x +serves storage$/m);
});

describe('warns of', () => {
  test.for([
    {
      app: 'mgr',
      labels: {},
      says: 'CephCluster rook-ceph/rook-ceph has no other manager: until it runs elsewhere nobody knows',
    },
    {
      app: 'rgw',
      labels: { rook_object_store: 's3' },
      says: 'object store s3 has no other gateway: it is away until one runs elsewhere',
    },
    { app: 'nfs', labels: { ceph_nfs: 'share' }, says: 'NFS share has no other server: it is away' },
    { app: 'rbd-mirror', labels: {}, says: 'has no other mirror of RBD images: nothing is mirrored' },
    { app: 'fs-mirror', labels: {}, says: 'has no other mirror of filesystems: nothing is mirrored' },
  ])('the only $app, and not of one of two', async ({ app, labels, says }) => {
    const lonely = new MaintenanceWorld(aDaemon(app, labels));
    expect(await plan(lonely)).toContain(says);
    expect(await plan(lonely, { noDrain: true })).not.toContain('has no other');
    const peer = aDaemon(app, labels, 'node-y');
    expect(await plan(new MaintenanceWorld(aDaemon(app, labels), peer))).not.toContain('Warnings:');
    const stuck = { ...peer, status: { phase: 'Running', conditions: [] } };
    expect(await plan(new MaintenanceWorld(aDaemon(app, labels), stuck))).toContain(says);
  });

  test('the only gateway of a store, although another store has one', async () => {
    const other = aDaemon('rgw', { rook_object_store: 'other' }, 'node-y');
    const world = new MaintenanceWorld(aDaemon('rgw', { rook_object_store: 's3' }), other);
    expect(await plan(world)).toContain('object store s3 has no other gateway');
  });

  test('the only metadata server, if by force, unless one of another filesystem stands by', async () => {
    const labels = { mds: 'myfs-a', rook_file_system: 'myfs' };
    const world = new MaintenanceWorld(aDaemon('mds', labels));
    expect(await plan(world)).not.toContain('Warnings:');
    world.keepsServers = 'insufficient';
    expect(await plan(world)).not.toContain('Warnings:');
    expect(await plan(world, { force: true })).toContain('filesystem myfs has no other metadata server');
  });

  test('a budget that holds the only gateway for ever, and of none that lets it go later', async () => {
    const rgw = aDaemon('rgw', { rook_object_store: 's3' });
    const selector = { matchLabels: { rook_object_store: 's3' } };
    const budget = aBudget('rook-ceph-rgw-s3', selector, { allowed: 0, needs: 1, has: 1 });
    const status = { ...(budget['status'] as object), expectedPods: 1 };
    const held = await plan(new MaintenanceWorld(rgw, { ...budget, status }));
    expect(held).toContain(
      'rook-ceph-rgw-s3 holds pod rook-ceph-rgw-s3-node-x because it needs 1 healthy pods and counts 1; that does not change by itself',
    );
    const second = { ...budget, metadata: { ...budget.metadata, name: 'mine' } };
    expect(await plan(new MaintenanceWorld(rgw, budget, second))).toContain('delete all but one of them');
    const passing = { ...budget, status: { ...status, expectedPods: 2 } };
    expect(await plan(new MaintenanceWorld(rgw, passing))).not.toContain('for ever');
  });

  test('pools that would be left with a single copy', async () => {
    const world = new MaintenanceWorld();
    expect(await plan(world)).not.toContain('Warnings:');
    const [pool] = world.pools;
    if (pool) world.pools = [{ ...pool, minSize: 1 }];
    world.up.delete(2);
    world.up.delete(3);
    expect(await plan(world, { force: true })).toContain(
      'while the node is away, data of pool p is in a single place: min_size is 1',
    );
  });
});

test('names the pools that have a single copy where that is in the way', async () => {
  const world = new MaintenanceWorld();
  const [pool] = world.pools;
  if (pool) world.pools = [{ ...pool, size: 1, minSize: 3 }];
  expect(await plan(world, { force: true })).toContain(
    'placement groups would serve no more (1.0, 1.1, 1.2 and 1.3); a single copy is all that p has (not even with --force)',
  );
});

describe('where Rook has a noout of its own', () => {
  const rooks = { disruptionManagement: { managePodBudgets: true, osdMaintenanceTimeout: 45 } };
  const world = (): MaintenanceWorld => new MaintenanceWorld(aCluster('rook-ceph', { spec: rooks }));

  test('says that it goes before ours', async () => {
    expect(await plan(world(), { duration: '2h' })).toContain(
      'Rook takes its own noout off zone zone-x after 45 minutes; that on osd.0 and osd.1 stays for 2h.',
    );
    expect(await plan(world())).toContain('that on osd.0 and osd.1 stays until you stop the maintenance.');
  });

  test('says nothing of it when ours goes first, or Rook has none', async () => {
    expect(await plan(world(), { duration: '45m' })).not.toContain('Rook takes');
    expect(await plan(new MaintenanceWorld(), { duration: '2h' })).not.toContain('Rook takes');
  });
});
