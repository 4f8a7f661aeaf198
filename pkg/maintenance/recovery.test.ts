import { describe, expect, test } from 'vitest';
import { Kinds, type KubeObject } from '#pkg/object';
import { aRequest, MaintenanceWorld } from '#test/fakes/maintenance-world.ts';
import { aBudget } from '#test/fixtures/budgets.ts';
import { aCluster, anObject } from '#test/fixtures/objects.ts';

const OURS = { 'app.kubernetes.io/managed-by': 'rook-deps' };
const rooks = { spec: { disruptionManagement: { managePodBudgets: true } } };

function blocking(
  zone: string,
  parts: { readonly labels?: Readonly<Record<string, string>> } = {},
): KubeObject {
  const selector = { matchLabels: { 'topology-location-zone': zone } };
  return aBudget(`rook-ceph-osd-zone-${zone}`, selector, { maxUnavailable: 0, ...parts });
}

/** As Rook makes them: they belong to the cluster. */
function ofRook(budget: KubeObject, world: MaintenanceWorld): KubeObject {
  const [cluster] = world.cluster.ofKind('ceph.rook.io/CephCluster');
  const { name, uid = '' } = cluster?.metadata ?? { name: '' };
  const owner = { apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', name, uid };
  return { ...budget, metadata: { ...budget.metadata, ownerReferences: [owner] } };
}

/** In maintenance, with these budgets. */
async function maintained(
  make: (world: MaintenanceWorld) => readonly KubeObject[],
  ...objects: readonly KubeObject[]
): Promise<MaintenanceWorld> {
  const world = new MaintenanceWorld(...objects);
  await world.start();
  for (const budget of make(world)) world.cluster.put(budget);
  return world;
}

const held = { phase: 'Recovering', blockedBy: [{ reason: 'BudgetsBlocking' }] };

describe('a stop waits until nobody is held for the sake of the node', () => {
  const rows = [
    {
      name: 'by this controller',
      objects: [],
      make: () => [blocking('zone-y', { labels: OURS }), blocking('zone-z', { labels: OURS })],
    },
    {
      name: 'by Rook',
      objects: [aCluster('rook-ceph', rooks)],
      make: (world: MaintenanceWorld) => ['zone-y', 'zone-z'].map((zone) => ofRook(blocking(zone), world)),
    },
  ];

  test.for(rows)('$name, and noout goes before', async ({ make, objects }) => {
    const world = await maintained(make, ...objects);
    const waiting = await world.stop();
    expect(waiting?.status).toMatchObject(held);
    expect(waiting?.status.message).toContain(
      'waiting until rook-ceph-osd-zone-zone-y and rook-ceph-osd-zone-zone-z are gone, which hold other OSDs for the sake of zone zone-x',
    );
    expect([...world.noout]).toEqual([]);
    for (const zone of ['zone-y', 'zone-z'])
      world.cluster.drop({
        ...Kinds.PodDisruptionBudget,
        namespace: 'rook-ceph',
        name: `rook-ceph-osd-zone-${zone}`,
      });
    expect(await world.settle()).toBeUndefined();
  });

  test('and not for ever', async () => {
    const world = await maintained(() => [blocking('zone-y', { labels: OURS })]);
    expect((await world.stop())?.status).toMatchObject(held);
    world.clock.jump(31 * 60_000);
    expect(await world.settle()).toBeUndefined();
  });
});

describe('a stop does not wait for budgets', () => {
  const rows: readonly {
    name: string;
    objects?: readonly KubeObject[];
    make: (world: MaintenanceWorld) => readonly KubeObject[];
  }[] = [
    { name: 'of somebody else', make: () => [blocking('zone-y')] },
    { name: 'that Rook left when it was told to stop', make: (world) => [ofRook(blocking('zone-y'), world)] },
    {
      name: 'of Rook while its operator does not run',
      objects: [aCluster('rook-ceph', rooks)],
      make: (world) => {
        world.cluster.drop({ ...Kinds.Pod, namespace: 'rook-ceph', name: 'operator' });
        return [ofRook(blocking('zone-y'), world)];
      },
    },
    { name: 'that hold one at a time', make: () => [aBudget('rook-ceph-osd', {}, { labels: OURS })] },
    {
      name: 'that are there for the sake of another zone',
      make: () => [
        blocking('zone-x', { labels: OURS }),
        anObject(Kinds.ConfigMap, 'rook-deps-disruption', {
          data: { 'state.json': '{"draining":"zone-z","noout":[]}' },
        }),
      ],
    },
  ];

  test.for(rows)('$name', async ({ make, objects = [] }) => {
    const world = await maintained(make, ...objects);
    expect(await world.stop()).toBeUndefined();
  });

  test('on a node that others keep cordoned', async () => {
    const world = new MaintenanceWorld(blocking('zone-y', { labels: OURS }));
    world.cordon('node-x');
    await world.start();
    expect(await world.stop()).toBeUndefined();
  });
});

test('a stop does not wait for what another node of its zone will bring back', async () => {
  const world = new MaintenanceWorld();
  world.move(1, 'node-x2');
  await world.start(aRequest({ node: 'node-x' }));
  expect((await world.start(aRequest({ node: 'node-x2' })))?.status.phase).toBe('Ready');
  world.cluster.put(blocking('zone-y', { labels: OURS }));
  expect(await world.stop('node-x')).toBeUndefined();
  expect([...world.noout]).toEqual([1]);
  // Its own data it waits for.
  await world.start(aRequest({ node: 'node-x' }));
  world.recovering.add('1.0');
  expect((await world.stop('node-x'))?.status.blockedBy).toMatchObject([{ reason: 'Unclean' }]);
});
