import { describe, expect, test } from 'vitest';
import type { KubeObject } from '#pkg/object';
import { DrainWorld } from '#test/fakes/drain-world.ts';
import { aCluster } from '#test/fixtures/objects.ts';

const DEFAULT = ['rook-ceph-osd'];
const BLOCKING_X = ['rook-ceph-osd-zone-y', 'rook-ceph-osd-zone-z'];

describe('where Rook protects', () => {
  test('14.7 not one budget is made', async () => {
    const world = new DrainWorld({ managePodBudgets: true });
    world.drain(0);
    await world.round();
    expect(world.writes).toEqual([]);
    expect(world.told).toEqual([]);
  });

  test('W19 everything of ours goes when it starts to, at no moment without a budget', async () => {
    const world = new DrainWorld();
    world.drain(0);
    await world.round();
    world.writes.length = 0;
    world.put(
      aCluster('rook-ceph', { uid: 'cluster', spec: { disruptionManagement: { managePodBudgets: true } } }),
    );
    await world.round();
    expect(world.writes.slice(0, 4)).toEqual([
      'apply rook-ceph-osd',
      'delete rook-ceph-osd-zone-y',
      'delete rook-ceph-osd-zone-z',
      'apply rook-ceph-osd',
    ]);
    expect(world.flags).toEqual({});
    expect(world.writes.at(-1)).toBe('delete rook-deps-disruption');
    expect(world.told.at(-1)).toBe('CephCluster/rook-ceph BudgetsLeftToRook');
    world.writes.length = 0;
    await world.round();
    expect(world.writes).toEqual([]);
  });
});

describe('what Rook leaves when it is told to stop', () => {
  const notes = (): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'rook-ceph-pdbstatemap', namespace: 'rook-ceph' },
    data: {
      'draining-failure-domain': 'x',
      'set-no-out': 'true',
      'x-noout-last-set-at': '1970-01-01T00:16:00Z',
    },
  });

  test('W19 is taken over in the middle of a drain, noout included', async () => {
    const world = new DrainWorld();
    world.put(notes());
    world.flags = { x: ['noout'] };
    world.drain(0);
    await world.round();
    expect(world.budgets()).toEqual(BLOCKING_X);
    expect(world.writes).not.toContain('set noout x');
    world.recover(0);
    await world.round();
    expect(world.flags).toEqual({});
    expect(world.budgets()).toEqual(DEFAULT);
  });

  test('W19 keeps the time that noout had when Rook set it', async () => {
    const world = new DrainWorld({ osdMaintenanceTimeout: 1 });
    world.put(notes());
    world.flags = { x: ['noout'] };
    world.drain(0);
    world.now = 60_000 + Date.parse('1970-01-01T00:16:00Z');
    await world.round();
    expect(world.flags).toEqual({});
  });

  test('W23 is taken over once: a flag that somebody sets later is theirs', async () => {
    const world = new DrainWorld();
    world.put(notes());
    await world.round();
    world.flags = { x: ['noout'] };
    await world.round();
    expect(world.flags).toEqual({ x: ['noout'] });
  });
});
