import { expect, test } from 'vitest';
import { DESTROY_DATA, type KubeObject } from '#pkg/object';
import { deleted } from '#test/fakes/dependents-world.ts';
import { aCluster, aPool } from '#test/fixtures/objects.ts';
import { sparingDestroyed } from './destroyed.ts';
import { NOTHING, type Finding } from './finding.ts';

const SIGNAL = new AbortController().signal;
const HELD: Finding = { ...NOTHING, gaps: [{ what: 'all', reason: 'looked at' }] };
const spec = { cleanupPolicy: { confirmation: DESTROY_DATA } };

test.for([
  { name: 'is spared the look', isDestroyed: true, now: [deleted(aCluster('c', { spec }))], isSpared: true },
  { name: 'is looked at when the word was taken back', isDestroyed: true, now: [deleted(aCluster('c'))] },
  { name: 'is looked at when the cluster was replaced', isDestroyed: true, now: [aCluster('c', { spec })] },
  { name: 'is looked at when no cluster can be seen', isDestroyed: true, now: [] },
  { name: 'is looked at when the cache does not know yet', now: [deleted(aCluster('c', { spec }))] },
] as readonly {
  readonly name: string;
  readonly isDestroyed?: boolean;
  readonly now: readonly KubeObject[];
  readonly isSpared?: boolean;
}[])('what is destroyed with its cluster $name', async ({ isDestroyed = false, now, isSpared = false }) => {
  const find = sparingDestroyed(async () => HELD, {
    isDestroyed: () => isDestroyed,
    clustersIn: async () => ({ items: now, gaps: [] }),
  });
  expect(await find(aPool('p'), SIGNAL)).toBe(isSpared ? NOTHING : HELD);
});
