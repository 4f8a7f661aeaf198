import { expect, test } from 'vitest';
import { aCluster } from '#test/fixtures/objects.ts';
import { drainSettings } from './settings.ts';

const of = (disruptionManagement: object): ReturnType<typeof drainSettings> =>
  drainSettings(aCluster('c', { spec: { disruptionManagement } }));

test('the time of noout is in minutes; none, or zero, is half an hour', () => {
  expect(of({ osdMaintenanceTimeout: 5 }).timeoutMs).toBe(300_000);
  expect(of({ osdMaintenanceTimeout: 0 }).timeoutMs).toBe(1_800_000);
  expect(drainSettings(aCluster()).timeoutMs).toBe(1_800_000);
});

test('Rook makes the budgets where it is told to, and not where nothing is said', () => {
  expect(of({ managePodBudgets: true }).isRooks).toBe(true);
  expect(of({}).isRooks).toBe(false);
});

test('an expression that is none is left out, and told of', () => {
  expect(of({ pgHealthyRegex: '^active$' }).healthy?.test('active')).toBe(true);
  expect(of({ pgHealthyRegex: '(' })).toMatchObject({
    healthy: undefined,
    trouble: 'pgHealthyRegex is not understood: (',
  });
});
