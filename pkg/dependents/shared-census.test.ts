import { describe, expect, test } from 'vitest';
import type { Census } from '#pkg/kube';
import { Kinds } from '#pkg/object';
import { settle } from '#test/fakes/fake-clock.ts';
import { sharedCensus } from './shared-census.ts';

const SIGNAL = new AbortController().signal;
const VOLUMES = { kind: Kinds.PersistentVolume, expected: 10_000 };
const EMPTY: Census = { versions: new Map(), resourceVersion: '1' };

function desk() {
  const taken: { readonly kind: string; end(): void; fail(): void }[] = [];
  const take = sharedCensus(({ kind }) => {
    const { promise, resolve, reject } = Promise.withResolvers<Census>();
    taken.push({ kind: kind.kind, end: () => resolve(EMPTY), fail: () => reject(new Error('boom')) });
    return promise;
  }, 1_000);
  return { taken, take };
}

describe('a census', () => {
  test('is shared by all who ask while another is under way, and begins after it', async () => {
    const { taken, take } = desk();
    const first = take(VOLUMES, SIGNAL);
    const others = [take(VOLUMES, SIGNAL), take(VOLUMES, SIGNAL)];
    await settle();
    expect(taken).toHaveLength(1);
    taken[0]?.end();
    await first;
    await settle();
    expect(taken).toHaveLength(2);
    taken[1]?.end();
    expect(await Promise.all(others)).toEqual([EMPTY, EMPTY]);
  });

  test('that fails does not keep the next from beginning', async () => {
    const { taken, take } = desk();
    const first = take(VOLUMES, SIGNAL);
    const second = take(VOLUMES, SIGNAL);
    taken[0]?.fail();
    await expect(first).rejects.toThrow('boom');
    await settle();
    taken[1]?.end();
    expect(await second).toBe(EMPTY);
    void take(VOLUMES, SIGNAL);
    expect(taken).toHaveLength(3);
  });

  test('of another kind or namespace is another', () => {
    const { taken, take } = desk();
    for (const namespace of ['a', 'b']) void take({ kind: Kinds.CephNFS, namespace, expected: 1 }, SIGNAL);
    void take(VOLUMES, SIGNAL);
    expect(taken).toHaveLength(3);
  });
});
