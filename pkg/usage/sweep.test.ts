import { expect, test } from 'vitest';
import { keyOf, type KubeObject } from '#pkg/object';
import { Turns } from '#pkg/protection';
import { Refusal } from '#test/fakes/fake-cluster.ts';
import {
  configMap,
  MARKED,
  namespace,
  NAMESPACE_REF,
  side,
  SIGNAL,
  usageObject,
  USED_REF,
  UsageWorld,
} from '#test/fakes/usage-world.ts';
import { markSweeper } from './sweep.ts';

const HOUR = { kind: 'look-again', afterMs: 3_600_000 };

async function swept(world: UsageWorld, exempt = ''): Promise<readonly string[]> {
  const found: string[] = [];
  const sweeper = markSweeper({
    ...world.ports,
    turns: new Turns(),
    allTypes: async () => world.cluster.types.all(),
    isExempt: ({ name }) => name === exempt,
    swept: (ref) => void found.push(keyOf(ref)),
  });
  expect(await sweeper.reconcile('all', SIGNAL)).toEqual(HOUR);
  return found;
}

function worldOf(...objects: readonly KubeObject[]): UsageWorld {
  const world = new UsageWorld(...objects);
  world.cluster.put(namespace('here', { labels: MARKED }));
  return world;
}

test('a mark that no usage wants is taken off, and that of its namespace', async () => {
  const world = worldOf(configMap('used', { labels: MARKED }));
  expect(await swept(world)).toEqual([keyOf(USED_REF), keyOf(NAMESPACE_REF)].toSorted());
  expect(world.isMarked(USED_REF)).toBe(false);
  expect(world.isMarked(NAMESPACE_REF)).toBe(false);
});

test('a mark that a usage wants stays', async () => {
  const held = usageObject({ of: side('used'), reason: 'needed' });
  const world = worldOf(configMap('used', { labels: MARKED }), held);
  expect(await swept(world)).toEqual([]);
  expect(world.isMarked(USED_REF)).toBe(true);
  expect(world.isMarked(NAMESPACE_REF)).toBe(true);
});

test('a mark that another protection wants stays', async () => {
  const world = worldOf();
  world.wantedElsewhere.add(keyOf(NAMESPACE_REF));
  expect(await swept(world)).toEqual([]);
  expect(world.isMarked(NAMESPACE_REF)).toBe(true);
});

test('what is marked on purpose stays', async () => {
  const world = new UsageWorld(configMap('used', { labels: MARKED }));
  expect(await swept(world, 'used')).toEqual([]);
});

test('what may not be changed does not keep the rest from being swept', async () => {
  const world = worldOf(configMap('used', { labels: MARKED }));
  world.failOn(({ verb, key }) => verb === 'patch' && key === keyOf(USED_REF), new Refusal(403, 'no'));
  expect(await swept(world)).toEqual([keyOf(NAMESPACE_REF)]);
});
