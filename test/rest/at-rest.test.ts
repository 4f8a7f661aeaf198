import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, inject, test } from 'vitest';
import { requestsSince } from '../cluster/audit-log.ts';
import { USAGES } from './global-setup.ts';

const REST_MS = 600_000;
const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

const resting = inject('resting');
const title = typeof resting === 'string' ? ` (skipped: ${resting})` : '';

describe.skipIf(typeof resting === 'string')(`a controller at rest${title}`, () => {
  test(`X19: writes nothing in ten minutes with ${USAGES} usages in force, but its lease`, async () => {
    if (typeof resting === 'string') return;
    await sleep(Math.max(0, resting.sinceMs + REST_MS - Date.now()));
    const requests = await requestsSince(resting.since, 'rook-deps-controller/', resting.access);
    const writes = requests.filter(({ verb }) => WRITES.has(verb));
    const isRenewal = ({ uri }: { readonly uri: string }): boolean =>
      uri.startsWith('/apis/coordination.k8s.io/v1/namespaces/rook-deps-system/leases/rook-deps');
    expect(writes.filter((write) => !isRenewal(write))).toEqual([]);
    // It was there all the time, and at work: the leader renews its lease every other second.
    expect(writes.filter(isRenewal).length).toBeGreaterThan(REST_MS / 10_000);
  });
});
