import { describe, expect, test } from 'vitest';
import { keyOf, type KubeObject } from '#pkg/object';
import { Refusal } from '#test/fakes/fake-cluster.ts';
import { configMap, side, SIGNAL, usage, USED_REF, UsageWorld } from '#test/fakes/usage-world.ts';
import { isTakenDownWith } from './whole.ts';

const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'whole', uid: 'w', controller: true };
const PART = { ownerReferences: [OWNER] };
const WHOLE = configMap('whole', { uid: 'w' });
const SPEC = { of: side('used'), by: side('using') };

function ask(world: UsageWorld, using: KubeObject = configMap('using', PART)): Promise<boolean> {
  return isTakenDownWith(usage(SPEC, PART), using, world.ports, SIGNAL);
}

describe('a usage and what uses the object', () => {
  test('are taken down together when their controller is gone', async () => {
    expect(await ask(new UsageWorld())).toBe(true);
  });

  test('are taken down together when their controller is terminating', async () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const whole = configMap('whole', { uid: 'w', deletionTimestamp, finalizers: ['a/b'] });
    expect(await ask(new UsageWorld(whole))).toBe(true);
  });

  test('are taken down together when another object has the name of their controller', async () => {
    expect(await ask(new UsageWorld(configMap('whole', { uid: 'another' })))).toBe(true);
  });

  test('are not while their controller lives', async () => {
    expect(await ask(new UsageWorld(WHOLE))).toBe(false);
  });

  test('are not when they share no controller', async () => {
    expect(await ask(new UsageWorld(), configMap('using'))).toBe(false);
  });

  test('are not when their controller may not be read', async () => {
    const world = new UsageWorld(WHOLE);
    world.cluster.before = ({ key }) => {
      if (key === keyOf({ ...USED_REF, name: 'whole' })) throw new Refusal(403, 'Forbidden');
    };
    expect(await ask(world)).toBe(false);
  });
});
