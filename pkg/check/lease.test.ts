import { expect, test } from 'vitest';
import type { KubeObject } from '#pkg/object';
import { FakeClock } from '#test/fakes/fake-clock.ts';
import { findLeader } from './lease.ts';

const SIGNAL = AbortSignal.timeout(10_000);
const clock = new FakeClock();
const ago = (ms: number): string => new Date(clock.now() - ms).toISOString();

async function leader(renewals: readonly string[], holderIdentity = 'pod'): Promise<string> {
  const times = [...renewals];
  const get = async (): Promise<KubeObject> => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'rook-deps' },
    spec: {
      holderIdentity,
      leaseDurationSeconds: 15,
      renewTime: times.length > 1 ? times.shift() : times[0],
    },
  });
  const reader = { get } as unknown as Parameters<typeof findLeader>[1]['reader'];
  const ports = { reader, now: () => clock.now(), sleep: async () => undefined };
  return (await findLeader('rook-deps-system', ports, SIGNAL)).kind;
}

test.for([
  { name: 'that was renewed just now', renewals: [ago(1_000)], kind: 'alive' },
  { name: 'that is not renewed', renewals: [ago(60_000)], kind: 'silent' },
  {
    name: 'renewed under our eyes, by a clock behind ours',
    renewals: [ago(60_000), ago(58_000)],
    kind: 'alive',
  },
  { name: 'of tomorrow, that is not renewed', renewals: [ago(-86_400_000)], kind: 'silent' },
])('a lease $name: $kind', async ({ renewals, kind }) => {
  expect(await leader(renewals)).toBe(kind);
});

test('a lease that nobody holds: none', async () => {
  expect(await leader([ago(0)], '')).toBe('none');
});
