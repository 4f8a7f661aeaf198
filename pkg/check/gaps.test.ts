import { expect, test } from 'vitest';
import type { Installed } from '#pkg/install';
import { ResourceTypes } from '#pkg/object';
import type { Check, CheckPorts } from './check.ts';
import { replicaChecks } from './replicas.ts';
import { rookChecks } from './rook.ts';

const PORTS = {
  reader: { list: async () => ({ items: [], gaps: [{ what: 'x', reason: 'forbidden: no' }] }) },
  types: async () => new ResourceTypes([]),
} as unknown as CheckPorts;
const INSTALLED = { namespace: 'rook-deps-system' } as Installed;

test.for([
  { checks: rookChecks(PORTS), title: 'its operator runs, in a version that the rules know' },
  { checks: replicaChecks(INSTALLED, PORTS), title: 'what the replicas have seen is fresh' },
])('whoever may not look is not told that nothing is there: $title', async ({ checks, title }) => {
  const check = checks.find((one) => one.title === title) as Check;
  const { detail } = await check.look(AbortSignal.timeout(1_000));
  expect(detail).toBe('not looked at: forbidden: no');
});
