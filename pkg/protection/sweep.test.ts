import { expect, test } from 'vitest';
import { keyOf, refOf, type KubeObject, type ObjectRef } from '#pkg/object';
import { Refusal } from '#test/fakes/fake-cluster.ts';
import {
  configMap,
  MARKED,
  namespace,
  NAMESPACE_REF,
  SIGNAL,
  USED_REF,
  UsageWorld,
} from '#test/fakes/usage-world.ts';
import { markSweeper } from './sweep.ts';
import { Turns } from './turns.ts';

const HOUR = { kind: 'look-again', afterMs: 3_600_000 };

async function swept(
  world: UsageWorld,
  { exempt = '', wanted = [] }: { readonly exempt?: string; readonly wanted?: readonly ObjectRef[] } = {},
): Promise<readonly string[]> {
  const found: string[] = [];
  const sweeper = markSweeper('rook-deps.io/in-use', {
    ...world.ports,
    isWanted: async (object) => wanted.some((ref) => keyOf(ref) === keyOf(refOf(object))),
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

test('a mark that nobody wants is taken off, and that of its namespace', async () => {
  const world = worldOf(configMap('used', { labels: MARKED }));
  expect(await swept(world)).toEqual([keyOf(USED_REF), keyOf(NAMESPACE_REF)].toSorted());
  expect(world.isMarked(USED_REF)).toBe(false);
  expect(world.isMarked(NAMESPACE_REF)).toBe(false);
});

test('a mark that somebody wants stays', async () => {
  const world = worldOf(configMap('used', { labels: MARKED }));
  expect(await swept(world, { wanted: [USED_REF, NAMESPACE_REF] })).toEqual([]);
  expect(world.isMarked(USED_REF)).toBe(true);
  expect(world.isMarked(NAMESPACE_REF)).toBe(true);
});

test('what is marked on purpose stays', async () => {
  const world = new UsageWorld(configMap('used', { labels: MARKED }));
  expect(await swept(world, { exempt: 'used' })).toEqual([]);
});

test('what may not be changed does not keep the rest from being swept', async () => {
  const world = worldOf(configMap('used', { labels: MARKED }));
  world.failOn(({ verb, key }) => verb === 'patch' && key === keyOf(USED_REF), new Refusal(403, 'no'));
  expect(await swept(world)).toEqual([keyOf(NAMESPACE_REF)]);
});
