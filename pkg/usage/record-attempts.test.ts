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

function stored(world: UsageWorld): KubeObject {
  const object = world.cluster.at(USAGE_REF);
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
