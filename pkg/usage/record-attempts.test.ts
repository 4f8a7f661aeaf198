import { describe, expect, test } from 'vitest';
import type { KubeObject } from '#pkg/object';
import type { Attempt } from '#pkg/protection';
import { side, SIGNAL, USAGE_REF, usageObject, UsageWorld } from '#test/fakes/usage-world.ts';
import { recordAttempts } from './record-attempts.ts';
import { parseUsage } from './usage.ts';

const SPEC = { of: side('used'), reason: 'needed' };

function attemptBy(username: string): Attempt {
  return { time: '2026-01-01T00:00:00Z', user: { username }, uid: 'u', propagationPolicy: 'Background' };
}

function stored(world: UsageWorld, ref = USAGE_REF): KubeObject {
  const object = world.cluster.at(ref);
  if (!object) throw new Error('there is no usage');
  return object;
}

function usersIn(world: UsageWorld): readonly string[] {
  return parseUsage(stored(world)).attempts.map(({ user }) => user.username);
}

describe('a refused deletion', () => {
  test('is kept once for each who asked', async () => {
    const world = new UsageWorld(usageObject(SPEC));
    for (const user of ['ada', 'bob', 'ada']) {
      await recordAttempts([parseUsage(stored(world))], attemptBy(user), world.ports, SIGNAL);
    }
    expect(usersIn(world)).toEqual(['ada', 'bob']);
  });

  test('is vetoed for each usage by any other that does not want it repeated', async () => {
    const second = { ...USAGE_REF, name: 'second' };
    const world = new UsageWorld(
      usageObject({ ...SPEC, replayDeletion: true }),
      usageObject(SPEC, { name: 'second' }),
    );
    const usages = [stored(world), stored(world, second)].map(parseUsage);
    await recordAttempts(usages, attemptBy('ada'), world.ports, SIGNAL);
    const vetoes = [stored(world), stored(world, second)].map(
      (object) => parseUsage(object).attempts[0]?.vetoed,
    );
    expect(vetoes).toEqual([true, undefined]);
  });

  test('of the garbage collector is never vetoed', async () => {
    const collector = 'system:serviceaccount:kube-system:generic-garbage-collector';
    const world = new UsageWorld(usageObject(SPEC), usageObject(SPEC, { name: 'second' }));
    const usages = [stored(world), stored(world, { ...USAGE_REF, name: 'second' })].map(parseUsage);
    await recordAttempts(usages, attemptBy(collector), world.ports, SIGNAL);
    expect(parseUsage(stored(world)).attempts[0]?.vetoed).toBeUndefined();
  });

  test('does not push out one that the cache has not seen yet', async () => {
    const world = new UsageWorld(usageObject(SPEC));
    const cached = parseUsage(stored(world));
    await recordAttempts([cached], attemptBy('ada'), world.ports, SIGNAL);
    await recordAttempts([cached], attemptBy('bob'), world.ports, SIGNAL);
    expect(usersIn(world)).toEqual(['ada', 'bob']);
  });

  test('is not kept with another usage that took the name', async () => {
    const world = new UsageWorld(usageObject(SPEC));
    const cached = parseUsage(stored(world));
    world.cluster.put(usageObject(SPEC, { uid: 'another' }));
    await recordAttempts([cached], attemptBy('ada'), world.ports, SIGNAL);
    expect(usersIn(world)).toEqual([]);
  });

  test('is not kept with a usage that is gone, which is no failure', async () => {
    const world = new UsageWorld(usageObject(SPEC));
    const cached = parseUsage(stored(world));
    world.cluster.drop(USAGE_REF);
    await recordAttempts([cached], attemptBy('ada'), world.ports, SIGNAL);
    expect(world.cluster.at(USAGE_REF)).toBeUndefined();
  });

  test('that cannot be kept is a failure', async () => {
    const world = new UsageWorld(usageObject(SPEC));
    world.failOn(({ verb }) => verb === 'patch');
    const kept = recordAttempts([parseUsage(stored(world))], attemptBy('ada'), world.ports, SIGNAL);
    await expect(kept).rejects.toThrow('boom');
  });
});
