import { expect, test } from 'vitest';
import { configMap, deletionOf, SIGNAL } from '#test/fakes/usage-world.ts';
import { CANARY_ANSWER, canaryGuard } from './canary.ts';

const CANARY = configMap('rook-deps-canary', { namespace: 'rook-deps-system' });

test.for([
  { name: 'a dry run on the canary', object: CANARY, dryRun: true, isRefused: true },
  { name: 'a deletion of the canary that is meant', object: CANARY, dryRun: false, isRefused: false },
  {
    name: 'a dry run on its like elsewhere',
    object: configMap('rook-deps-canary', { namespace: 'there' }),
    dryRun: true,
    isRefused: false,
  },
  {
    name: 'a dry run on anything else',
    object: configMap('other', { namespace: 'rook-deps-system' }),
    dryRun: true,
    isRefused: false,
  },
])('$name is refused: $isRefused', async ({ object, dryRun, isRefused }) => {
  const deletion = { object, request: deletionOf(object, { dryRun }) };
  const guard = canaryGuard('rook-deps-system');
  for (const found of [await guard.glance(deletion, SIGNAL), await guard.look(deletion, SIGNAL)])
    expect(found?.lines).toEqual(isRefused ? [CANARY_ANSWER] : undefined);
});
