import { describe, expect, test } from 'vitest';
import { refOf, type KubeObject } from '#pkg/object';
import { aRequest, MaintenanceWorld } from '#test/fakes/maintenance-world.ts';
import { anOsd } from '#test/fixtures/osds.ts';
import { conflictsIn } from './conflicts.ts';
import { inquire } from './inquiry.ts';
import { Observer } from './observe.ts';
import { planText } from './plan-text.ts';
import { NEW_STATUS } from './status.ts';

const { signal } = new AbortController();

/** OSDs of node-x that share data, and can run on node-y; whether they come up there is up to the test. */
class PortableWorld extends MaintenanceWorld {
  readonly #pods: readonly KubeObject[];
  /** OSDs that nobody starts. */
  readonly stuck = new Set<number>();

  constructor(osds: readonly number[] = [0, 1]) {
    super();
    this.placement = [
      [0, 1, 4],
      [2, 3, 5],
    ];
    for (const id of osds) this.cluster.put(anOsd(id, { zone: 'zone-x' }));
    this.#pods = this.cluster
      .ofKind('/Pod')
      .filter(({ metadata }) => osds.includes(Number(metadata.labels?.['ceph-osd-id'] ?? Number.NaN)));
  }

  arrive(id: number): void {
    const pod = this.#pods.find(({ metadata }) => metadata.labels?.['ceph-osd-id'] === String(id));
    if (!pod || this.stuck.has(id)) return;
    this.cluster.put({ ...pod, spec: { ...(pod['spec'] as object), nodeName: 'node-y' } });
    this.up.add(id);
  }

  override live(): void {
    for (const pod of this.#pods)
      if (!this.cluster.at(refOf(pod))) this.arrive(Number(pod.metadata.labels?.['ceph-osd-id']));
  }
}

describe('an OSD that can run on another node', () => {
  test('and does so already does not go with the node', async () => {
    const world = new PortableWorld();
    world.stuck.add(0);
    await world.start();
    expect(world.evicted).toEqual(['rook-ceph-osd-0-pod']);
    world.stuck.clear();
    expect((await world.settle())?.status).toMatchObject({ phase: 'Ready' });
    expect(world.evicted).toEqual(['rook-ceph-osd-0-pod', 'rook-ceph-osd-1-pod']);
    expect([...world.up].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('goes alone, and not even by force does the next go before it is up there', async () => {
    const world = new PortableWorld();
    world.stuck.add(0);
    const held = await world.start(aRequest({ force: true }));
    expect(world.evicted).toEqual(['rook-ceph-osd-0-pod']);
    expect(held?.status).toMatchObject({ phase: 'Draining', blockedBy: [{ reason: 'OneByOne' }] });
  });

  test('waits while Ceph has not noticed that another one is gone', async () => {
    const world = new PortableWorld();
    world.holds.set('rook-ceph-osd-0-pod', 'a budget');
    await world.start();
    world.stuck.add(1);
    world.cluster.drop({ group: '', kind: 'Pod', namespace: 'rook-ceph', name: 'rook-ceph-osd-1-pod' });
    world.holds.clear();
    const held = await world.settle('node-x', 5);
    expect(held?.status.blockedBy).toMatchObject([{ reason: 'OneByOne' }]);
    expect(world.evicted).toEqual([]);
  });

  test('goes before those that cannot', async () => {
    const world = new PortableWorld([1]);
    expect((await world.start())?.status.phase).toBe('Ready');
    expect(world.evicted).toEqual(['rook-ceph-osd-1-pod', 'rook-ceph-osd-0-pod']);
  });

  test('stays with the node when no pod is to go, and the others with it', async () => {
    const world = new PortableWorld();
    const held = await world.start(aRequest({ noDrain: true, force: true }));
    expect(held?.status).toMatchObject({ phase: 'Pending', blockedBy: [{ reason: 'DataWouldStop' }] });
  });
});

test('the plan tells of OSDs that go one by one', async () => {
  const { ports } = new PortableWorld();
  const origin = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-x' } };
  const maintenance = { request: aRequest(), isStopping: false, status: NEW_STATUS, origin };
  const seen = await new Observer(ports.reader).look(maintenance, 0, signal);
  const surroundings = await inquire(seen, ports, signal);
  expect(conflictsIn(seen, surroundings)).toEqual([]);
  expect(planText(seen, surroundings, []).join('\n')).toContain('go to other nodes one by one');
});

test('OSDs that are bound to the node and would take data with them stay', async () => {
  const world = new PortableWorld([]);
  const held = await world.start(aRequest({ force: true }));
  expect(held?.status).toMatchObject({ phase: 'Pending', blockedBy: [{ reason: 'DataWouldStop' }] });
});

test('OSDs that can run on other nodes go all at once where that is safe', async () => {
  const world = new PortableWorld();
  world.placement = undefined;
  world.stuck.add(0).add(1);
  expect((await world.start())?.status.phase).toBe('Ready');
  expect(world.evicted).toEqual(['rook-ceph-osd-0-pod', 'rook-ceph-osd-1-pod']);
});
