import { describe, expect, test } from 'vitest';
import { refOf, type KubeObject } from '#pkg/object';
import { aRequest, aWorkload, MaintenanceWorld } from '#test/fakes/maintenance-world.ts';
import { inquire } from './inquiry.ts';
import { Observer } from './observe.ts';
import { planText } from './plan-text.ts';
import { NEW_STATUS } from './status.ts';
import { returnOf } from './tolerations.ts';

const { signal } = new AbortController();
const ALL = { operator: 'Exists' };
const CORDON = 'node.kubernetes.io/unschedulable';

describe('a toleration of the cordon is', () => {
  test.for([
    { name: 'one of everything', toleration: ALL, is: true },
    { name: 'one of its key', toleration: { key: CORDON, operator: 'Exists' }, is: true },
    { name: 'one of its key without a value', toleration: { key: CORDON, effect: 'NoSchedule' }, is: true },
    { name: 'none of another effect', toleration: { operator: 'Exists', effect: 'NoExecute' }, is: false },
    { name: 'none of a value', toleration: { key: CORDON, operator: 'Equal', value: 'x' }, is: false },
    {
      name: 'none that every pod has',
      toleration: { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
      is: false,
    },
    {
      name: 'none of a taint of nodes for storage',
      toleration: { key: 'storage', operator: 'Exists' },
      is: false,
    },
  ])('$name', ({ toleration, is }) => {
    const pod = aWorkload('web', 'node-x', { spec: { tolerations: [toleration] } });
    expect(returnOf(pod)).toBe(is ? 'perhaps' : 'never');
  });

  test('why a pod that is bound to the node comes back for certain', () => {
    const nodeSelector = { 'kubernetes.io/hostname': 'node-x' };
    expect(returnOf(aWorkload('web', 'node-x', { spec: { tolerations: [ALL], nodeSelector } }))).toBe(
      'surely',
    );
    const labels = { portable: 'false' };
    expect(returnOf(aWorkload('osd', 'node-x', { labels, spec: { tolerations: [ALL] } }))).toBe('surely');
    expect(returnOf(aWorkload('web', 'node-x', { spec: { nodeSelector } }))).toBe('never');
  });
});

/** The OSDs of the node tolerate everything, and are there again at once when they are evicted. */
function withTolerantOsds(spec: object = {}): MaintenanceWorld {
  const world = new MaintenanceWorld();
  const pods = world.cluster
    .ofKind('/Pod')
    .filter(({ metadata }) => ['0', '1'].includes(metadata.labels?.['ceph-osd-id'] ?? ''))
    .map((pod): KubeObject => ({
      ...pod,
      spec: { ...(pod['spec'] as object), tolerations: [ALL], ...spec },
    }));
  let made = 0;
  world.live = () => {
    for (const pod of pods) {
      if (world.cluster.at(refOf(pod))) continue;
      made += 1;
      world.cluster.put({ ...pod, metadata: { ...pod.metadata, uid: `made-${made}` } });
      world.up.add(Number(pod.metadata.labels?.['ceph-osd-id']));
    }
  };
  for (const pod of pods) world.cluster.put(pod);
  return world;
}

describe('pods that tolerate the cordon', () => {
  test('are evicted once, and named when they are back', async () => {
    const world = withTolerantOsds();
    const held = await world.start();
    expect(world.evicted).toEqual(['rook-ceph-osd-0-pod', 'rook-ceph-osd-1-pod']);
    expect(held?.status).toMatchObject({
      phase: 'Draining',
      blockedBy: [
        {
          reason: 'Tolerates',
          message: expect.stringContaining('spec.placement of the CephCluster'),
          pods: ['rook-ceph/rook-ceph-osd-0-pod', 'rook-ceph/rook-ceph-osd-1-pod'],
        },
      ],
    });
  });

  test('are not in the way any more when nobody makes them again', async () => {
    const world = withTolerantOsds();
    await world.start();
    world.live = () => undefined;
    for (const id of [0, 1]) {
      world.cluster.drop({ group: '', kind: 'Pod', namespace: 'rook-ceph', name: `rook-ceph-osd-${id}-pod` });
      world.up.delete(id);
    }
    expect((await world.settle())?.status.phase).toBe('Ready');
  });

  test('and are bound to the node are not evicted at all', async () => {
    const world = withTolerantOsds({ nodeSelector: { 'kubernetes.io/hostname': 'node-x' } });
    const held = await world.start();
    expect(world.evicted).toEqual([]);
    expect(held?.status.blockedBy).toMatchObject([{ reason: 'Tolerates' }]);
  });

  test('are told of in the plan', async () => {
    const { ports } = withTolerantOsds();
    const origin = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-x' } };
    const maintenance = { request: aRequest(), isStopping: false, status: NEW_STATUS, origin };
    const seen = await new Observer(ports.reader).look(maintenance, 0, signal);
    const lines = planText(seen, await inquire(seen, ports, signal), []).join('\n');
    expect(lines).toContain('tolerates the cordon: may come back to this node');
  });
});
