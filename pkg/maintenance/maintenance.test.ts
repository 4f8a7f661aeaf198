import { describe, expect, test } from 'vitest';
import { Kinds, kindKey, refOf, type KubeObject } from '#pkg/object';
import { aConsumer, aRequest, aWorkload, MaintenanceWorld } from '#test/fakes/maintenance-world.ts';
import { aCluster, anObject } from '#test/fixtures/objects.ts';

const { signal } = new AbortController();

const monitor = (name: string, node: string): KubeObject =>
  aWorkload(`mon-${name}`, node, { namespace: 'rook-ceph', labels: { app: 'rook-ceph-mon', mon: name } });
const rooks = { disruptionManagement: { managePodBudgets: true } };
const gateway = aWorkload('rgw', 'node-x', { namespace: 'rook-ceph', labels: { app: 'rook-ceph-rgw' } });
const attachment = anObject(Kinds.VolumeAttachment, 'att', {
  spec: {
    attacher: 'rook-ceph.rbd.csi.ceph.com',
    nodeName: 'node-x',
    source: { persistentVolumeName: 'volume-of-db' },
  },
});

describe('a node', () => {
  test('is cordoned, keeps its data where it is, and is emptied: users of volumes first, monitors last', async () => {
    const world = new MaintenanceWorld(
      monitor('a', 'node-x'),
      gateway,
      aWorkload('web', 'node-x'),
      ...aConsumer('db', 'node-x'),
    );
    const ready = await world.start();
    expect(ready?.status).toMatchObject({ phase: 'Ready', cordon: 'set' });
    expect(world.evicted).toEqual([
      'db',
      'web',
      'rgw',
      'rook-ceph-osd-0-pod',
      'rook-ceph-osd-1-pod',
      'mon-a',
    ]);
    expect([...world.noout]).toEqual([0, 1]);
    expect(world.isCordoned('node-x')).toBe(true);
    expect(ready?.status.clusters).toEqual([{ cluster: 'rook-ceph/rook-ceph', osds: [0, 1], down: [0, 1] }]);
  });

  test('is as before after a stop', async () => {
    const world = new MaintenanceWorld();
    const before = world.traces;
    await world.start();
    expect(world.traces).not.toEqual(before);
    await world.stop();
    expect(world.traces).toEqual(before);
    expect(world.events).toEqual([
      'Node MaintenanceStarted',
      'CephCluster MaintenanceStarted',
      'Node MaintenanceReady',
      'CephCluster MaintenanceReady',
      'Node MaintenanceStopped',
      'Node MaintenanceEnded',
      'CephCluster MaintenanceEnded',
    ]);
  });

  test('writes down how things were before anything is changed', async () => {
    const world = new MaintenanceWorld();
    const changes: string[] = [];
    world.onChange = (when, what) => void (when === 'before' && changes.push(what));
    await world.start();
    expect(changes.slice(0, 4)).toEqual([
      'create ConfigMap',
      'patch ConfigMap',
      'patch Node',
      'patch ConfigMap',
    ]);
    expect(changes.indexOf('set noout osd.0')).toBeLessThan(changes.indexOf('evict rook-ceph-osd-0-pod'));
  });

  test('without Ceph is drained all the same', async () => {
    const world = new MaintenanceWorld(aWorkload('web', 'node-w'), {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'node-w', uid: 'w' },
    });
    world.ceph = 'silent';
    const ready = await world.start(aRequest({ node: 'node-w' }));
    expect(ready?.status.phase).toBe('Ready');
    expect(world.evicted).toEqual(['web']);
    await world.stop('node-w');
    expect(world.isCordoned('node-w')).toBe(false);
  });

  test('that was cordoned before stays so after a stop, and its OSDs are not waited for', async () => {
    const world = new MaintenanceWorld();
    world.cordon('node-x');
    await world.start();
    expect(await world.stop()).toBeUndefined();
    expect(world.isCordoned('node-x')).toBe(true);
    expect([...world.noout]).toEqual([]);
  });

  test('keeps the noout that somebody had set on one of its OSDs', async () => {
    const world = new MaintenanceWorld();
    world.noout.add(1);
    await world.start();
    expect([...world.noout].toSorted((a, b) => a - b)).toEqual([0, 1]);
    await world.stop();
    expect([...world.noout]).toEqual([1]);
  });

  test('that somebody uncordons is emptied no further, and not cordoned again', async () => {
    const world = new MaintenanceWorld(aWorkload('web', 'node-x'));
    world.holds.set('web', 'a budget');
    await world.start();
    world.cordon('node-x', false);
    world.holds.clear();
    const held = await world.settle('node-x', 5);
    expect(held?.status.blockedBy).toMatchObject([{ reason: 'Uncordoned' }]);
    expect(world.evicted).toEqual([]);
    expect(world.isCordoned('node-x')).toBe(false);
  });

  test('that is deleted meanwhile leaves no noout after a stop', async () => {
    const world = new MaintenanceWorld();
    await world.start();
    world.cluster.drop({ group: '', kind: 'Node', name: 'node-x' });
    const failed = await world.settle();
    expect(failed?.status.phase).toBe('Failed');
    await world.stop();
    expect([...world.noout]).toEqual([]);
    expect(world.cluster.ofKind(kindKey(Kinds.ConfigMap))).toEqual([]);
  });

  test('that was replaced under its name is not uncordoned by a stop', async () => {
    const world = new MaintenanceWorld();
    await world.start();
    const node = world.node('node-x');
    if (node) world.cluster.put({ ...node, metadata: { ...node.metadata, uid: 'another' } });
    await world.stop();
    expect(world.isCordoned('node-x')).toBe(true);
  });

  test('with noDrain keeps its pods', async () => {
    const world = new MaintenanceWorld(aWorkload('web', 'node-x'));
    const done = await world.start(aRequest({ noDrain: true }));
    expect(done?.status.phase).toBe('Succeeded');
    expect(world.evicted).toEqual([]);
    expect([...world.noout]).toEqual([0, 1]);
  });
});

describe('pods', () => {
  test('of DaemonSets, of the node itself and finished ones stay, and so do volumes of those', async () => {
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd', controller: true };
    const world = new MaintenanceWorld(
      aWorkload('agent', 'node-x', { ownerReferences: [owner] }),
      aWorkload('static', 'node-x', { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
      aWorkload('done', 'node-x', { status: { phase: 'Succeeded' } }),
    );
    expect((await world.start())?.status.phase).toBe('Ready');
    expect(world.evicted).toEqual(['rook-ceph-osd-0-pod', 'rook-ceph-osd-1-pod']);
  });

  test('that nobody would make again are named and never evicted', async () => {
    const world = new MaintenanceWorld(aWorkload('pet', 'node-x', { ownerReferences: [] }));
    const held = await world.start(aRequest({ force: true }));
    expect(held?.status.phase).toBe('Draining');
    expect(held?.status.blockedBy[0]).toMatchObject({
      reason: 'BarePod',
      message: expect.stringContaining('shop/pet'),
    });
    expect(world.evicted).toEqual([]);
    world.cluster.drop(refOf(aWorkload('pet', 'node-x')));
    expect((await world.settle())?.status.phase).toBe('Ready');
  });

  test('that budgets hold are asked again, with the cause in the status', async () => {
    const world = new MaintenanceWorld(aWorkload('web', 'node-x'));
    world.holds.set('web', 'The disruption budget web needs 3 healthy pods and has 3 currently');
    const held = await world.start();
    expect(held?.status).toMatchObject({
      phase: 'Draining',
      blockedBy: [{ reason: 'DisruptionBudget', message: expect.stringContaining('needs 3 healthy pods') }],
      drain: { total: 3, pending: 3 },
    });
    world.holds.clear();
    expect((await world.settle())?.status.phase).toBe('Ready');
  });

  test('of a wave wait until the volumes of the wave before are detached', async () => {
    const world = new MaintenanceWorld(aWorkload('web', 'node-x'), ...aConsumer('db', 'node-x'), attachment);
    const held = await world.start();
    expect(held?.status.blockedBy).toMatchObject([{ reason: 'VolumesAttached' }]);
    expect(world.evicted).toEqual(['db']);
    world.cluster.drop(refOf(attachment));
    expect((await world.settle())?.status.phase).toBe('Ready');
  });
});

describe('nothing is begun while', () => {
  const rows: readonly {
    name: string;
    reason: string;
    forced?: boolean;
    make: (world: MaintenanceWorld) => void;
  }[] = [
    {
      name: 'an OSD of another zone is down',
      reason: 'OsdDown',
      forced: false,
      make: (world) => world.up.delete(4),
    },
    { name: 'Ceph is in error', reason: 'HealthError', make: (world) => (world.health = 'HEALTH_ERR') },
    { name: 'Ceph is short of room', reason: 'Full', make: (world) => (world.checks = ['OSD_NEARFULL']) },
    { name: 'somebody has set noout', reason: 'ForeignFlags', make: (world) => (world.flags = ['noout']) },
    { name: 'Ceph is silent', reason: 'CephSilent', forced: false, make: (world) => (world.ceph = 'silent') },
    {
      name: 'nobody knows how the data is',
      reason: 'CephSilent',
      forced: false,
      make: (world) => (world.ceph = 'without manager'),
    },
    {
      name: 'the monitors would be no quorum',
      reason: 'Quorum',
      forced: false,
      make: (world) => {
        world.monitors = ['a', 'b'];
        world.cluster.put(monitor('a', 'node-x'));
      },
    },
    {
      name: 'the monitors would be no quorum without the one that floats',
      reason: 'Quorum',
      forced: false,
      make: (world) => {
        world.monitors = ['a', 'b'];
        const labels = { app: 'rook-ceph-floating-mon', mon: 'b' };
        world.cluster.put(aWorkload('floating', 'node-x', { namespace: 'rook-ceph', labels }));
      },
    },
    {
      name: 'two zones would be without an OSD of the same data',
      reason: 'DataWouldStop',
      forced: false,
      make: (world) => [2, 3].forEach((id) => world.up.delete(id)),
    },
    {
      name: 'an OSD here may have the only copy of an object, though another here is down already',
      reason: 'DataWouldStop',
      forced: false,
      make: (world) => {
        world.up.delete(0);
        world.recovering.add('1.1');
      },
    },
    {
      name: 'the operator is not running',
      reason: 'NoOperator',
      make: (world) => world.cluster.drop({ ...Kinds.Pod, namespace: 'rook-ceph', name: 'operator' }),
    },
    {
      name: 'the operator that runs is another one, of its own namespace alone',
      reason: 'NoOperator',
      make: (world) => {
        const [operator] = world.cluster
          .ofKind(kindKey(Kinds.Pod))
          .filter(({ metadata }) => metadata.name === 'operator');
        world.cluster.drop({ ...Kinds.Pod, namespace: 'rook-ceph', name: 'operator' });
        const env = [{ name: 'ROOK_CURRENT_NAMESPACE_ONLY', value: 'true' }];
        if (operator)
          world.cluster.put({
            ...operator,
            metadata: { ...operator.metadata, namespace: 'other' },
            spec: { containers: [{ name: 'rook-ceph-operator', env }] },
          });
      },
    },
    {
      name: 'nobody would take over from a metadata server',
      reason: 'FilesystemWouldWait',
      make: (world) => {
        const labels = { app: 'rook-ceph-mds', mds: 'myfs-a' };
        world.cluster.put(aWorkload('mds', 'node-x', { namespace: 'rook-ceph', labels }));
        world.keepsServers = 'insufficient standby MDS daemons';
      },
    },
    {
      name: 'another zone drains by our account',
      reason: 'OtherDrain',
      make: (world) =>
        world.cluster.put(
          anObject(Kinds.ConfigMap, 'rook-deps-disruption', {
            data: { 'state.json': '{"draining":"zone-y","noout":[]}' },
          }),
        ),
    },
    {
      name: "another zone drains by Rook's account",
      reason: 'OtherDrain',
      make: (world) =>
        world.cluster.put(
          anObject(Kinds.ConfigMap, 'rook-ceph-pdbstatemap', {
            data: { 'draining-failure-domain': 'zone-z' },
          }),
        ) && world.cluster.put(aCluster('rook-ceph', { spec: rooks })),
    },
    {
      name: 'a pod of the node is protected',
      reason: 'Protected',
      forced: false,
      make: (world) =>
        world.cluster.put(aWorkload('web', 'node-x', { labels: { 'rook-deps.io/in-use': 'true' } })),
    },
    {
      name: 'another operator holds the lease of the node',
      reason: 'NodeHeld',
      make: (world) =>
        world.cluster.put({
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { namespace: 'medik8s-leases', name: 'node-node-x' },
          spec: {
            holderIdentity: 'node-maintenance',
            leaseDurationSeconds: 3600,
            renewTime: '2030-01-01T00:00:00Z',
          },
        }),
    },
    {
      name: 'another operator maintains the node',
      reason: 'NodeHeld',
      make: (world) =>
        world.cluster.put({
          apiVersion: 'nodemaintenance.medik8s.io/v1beta1',
          kind: 'NodeMaintenance',
          metadata: { name: 'theirs' },
          spec: { nodeName: 'node-x' },
        }),
    },
    {
      name: 'an OSD is being replaced',
      reason: 'Replacement',
      make: (world) => {
        const [osd] = world.cluster.ofKind(kindKey(Kinds.Deployment));
        const annotations = { 'osd.rook.io/replace-in-progress': 'true' };
        if (osd) world.cluster.put({ ...osd, metadata: { ...osd.metadata, annotations } });
      },
    },
  ];

  test.for(rows)('$name', async ({ reason, make, forced = true }) => {
    const world = new MaintenanceWorld();
    make(world);
    const held = await world.start();
    expect(held?.status).toMatchObject({ phase: 'Pending' });
    expect(held?.status.blockedBy.map((one) => one.reason)).toContain(reason);
    expect(held?.status.prior).toBeUndefined();
    expect([world.isCordoned('node-x'), world.noout.size, world.evicted.length]).toEqual([false, 0, 0]);
    await world.stop();

    const again = new MaintenanceWorld();
    make(again);
    const result = await again.start(aRequest({ force: true }));
    expect(result?.status.phase === 'Pending').toBe(!forced);
  });

  test('a node of another zone is in maintenance, whoever keeps it', async () => {
    const world = new MaintenanceWorld();
    await world.start(aRequest({ node: 'node-y' }));
    world.up.add(2).add(3);
    expect((await world.start())?.status.blockedBy.map((one) => one.reason)).toContain('OtherMaintenance');
  });
});

test('of two zones that begin at once one goes on, and the other when the first is back', async () => {
  const world = new MaintenanceWorld();
  const { commandLedger } = world;
  await commandLedger.begin(aRequest({ node: 'node-y' }), signal);
  await commandLedger.begin(aRequest({ node: 'node-x' }), signal);
  for (let turn = 0; turn < 30; turn += 1) {
    await world.step('node-x');
    await world.step('node-y');
  }
  const phases = (await commandLedger.all(signal)).map(
    ({ request, status }) => `${request.node} ${status.phase}`,
  );
  expect(phases.toSorted()).toEqual(['node-x Ready', 'node-y Pending']);
  expect([...world.up]).toEqual([2, 3, 4, 5]);
  await world.stop('node-x');
  expect((await world.settle('node-y'))?.status).toMatchObject({ phase: 'Ready' });
});

test('of two that began without seeing each other, one holds', async () => {
  const world = new MaintenanceWorld();
  const prior = (node: string): object => ({
    recordedAt: '2030-01-01T00:00:00.000Z',
    nodeUid: `uid-of-${node}`,
    cordoned: false,
  });
  const entries = ['node-x', 'node-y'].map((node) => {
    const clusters = [
      { cluster: 'rook-ceph/rook-ceph', osds: node === 'node-x' ? [0, 1] : [2, 3], down: [] },
    ];
    const status = { phase: 'Draining', cordon: 'set', prior: prior(node), clusters };
    world.cordon(node);
    return [node, JSON.stringify({ spec: { nodeName: node }, status })] as const;
  });
  world.cluster.put(
    anObject(Kinds.ConfigMap, 'rook-deps-maintenance', {
      namespace: 'kube-system',
      data: Object.fromEntries(entries),
    }),
  );
  for (let turn = 0; turn < 10; turn += 1) for (const node of ['node-y', 'node-x']) await world.step(node);
  expect([...world.up]).toEqual([2, 3, 4, 5]);
});

test("a dead OSD whose data is elsewhere by now is in nobody's way", async () => {
  const world = new MaintenanceWorld();
  world.up.delete(5);
  world.out.add(5);
  const ready = await world.start();
  expect(ready?.status.phase).toBe('Ready');
});

test.for(['silent', 'without manager'] as const)('no pod is evicted while Ceph is %s', async (state) => {
  const world = new MaintenanceWorld(aWorkload('web', 'node-x'));
  world.holds.set('web', 'a budget');
  await world.start();
  world.ceph = state;
  world.holds.clear();
  const held = await world.settle('node-x', 5);
  expect(held?.status.blockedBy.map(({ reason }) => reason)).toContain('CephSilent');
  expect(world.evicted).toEqual([]);
  world.ceph = 'well';
  expect((await world.settle())?.status.phase).toBe('Ready');
});

test('noout goes when its time is over, and the node stays cordoned', async () => {
  const world = new MaintenanceWorld();
  expect((await world.start(aRequest({ duration: '1h' })))?.status.phase).toBe('Ready');
  world.clock.jump(3_600_000);
  const expired = await world.settle();
  expect(expired?.status.phase).toBe('Expired');
  expect([...world.noout]).toEqual([]);
  expect(world.isCordoned('node-x')).toBe(true);
  await world.stop();
  expect(world.isCordoned('node-x')).toBe(false);
});

test('a stop waits for OSDs and data before noout goes', async () => {
  const world = new MaintenanceWorld();
  await world.start();
  world.live = () => undefined;
  const waiting = await world.stop();
  expect(waiting?.status).toMatchObject({ phase: 'Recovering', blockedBy: [{ reason: 'OsdDown' }] });
  expect([...world.noout]).toEqual([0, 1]);
  world.up.add(0).add(1);
  expect(await world.settle()).toBeUndefined();
  expect([...world.noout]).toEqual([]);
});

test('a stop does not wait for ever', async () => {
  const world = new MaintenanceWorld();
  await world.start();
  world.live = () => undefined;
  await world.stop();
  world.clock.jump(31 * 60_000);
  expect(await world.settle()).toBeUndefined();
  expect([...world.noout]).toEqual([]);
});

describe('a NodeMaintenance', () => {
  const maintenance = (parts = {}): KubeObject =>
    anObject(Kinds.NodeMaintenance, 'node-x', { uid: 'm', spec: { nodeName: 'node-x' }, ...parts });

  test('is held by its finalizer before anything is changed, and let go when all is taken back', async () => {
    const world = new MaintenanceWorld();
    const before = world.traces;
    world.cluster.put(maintenance());
    await world.reconcile();
    expect(world.cluster.at(refOf(maintenance()))?.metadata.finalizers).toEqual(['rook-deps.io/maintenance']);
    expect(world.isCordoned('node-x')).toBe(false);
    for (let turn = 0; turn < 12; turn += 1) await world.reconcile();
    const ready = world.cluster.at(refOf(maintenance()));
    expect(ready?.['status']).toMatchObject({
      phase: 'Ready',
      summary: { noout: 'osd.0,osd.1', osds: '2/2' },
      conditions: [{ type: 'Ready', status: 'True' }],
      drain: { total: 2, pending: 0, progress: 100 },
    });
    const writes = world.cluster.writes.length;
    await world.reconcile();
    expect(world.cluster.writes).toHaveLength(writes);
    await world.cluster.writer.delete(refOf(maintenance()), {}, new AbortController().signal);
    for (let turn = 0; turn < 12; turn += 1) await world.reconcile();
    expect(world.traces).toEqual(before);
  });

  test('whose finalizer was taken off while others hold it begins nothing again', async () => {
    const world = new MaintenanceWorld();
    world.cluster.put(
      maintenance({ deletionTimestamp: '2029-12-31T00:00:00Z', finalizers: ['others.example/hold'] }),
    );
    for (let turn = 0; turn < 5; turn += 1) await world.reconcile();
    expect(world.isCordoned('node-x')).toBe(false);
    expect(world.cluster.writes).toEqual([]);
  });

  test('waits while a command maintains its node', async () => {
    const world = new MaintenanceWorld(aWorkload('web', 'node-x'));
    world.holds.set('web', 'a budget');
    await world.start();
    world.cluster.put(maintenance());
    for (let turn = 0; turn < 5; turn += 1) await world.reconcile();
    expect(world.cluster.at(refOf(maintenance()))?.['status']).toMatchObject({
      phase: 'Pending',
      blockedBy: [{ reason: 'NodeHeld' }],
    });
    world.holds.clear();
    expect((await world.settle())?.status.phase).toBe('Ready');
  });
});
