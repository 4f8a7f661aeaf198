import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { listAt, textAt } from '#pkg/object';
import type { Target } from './client.ts';
import { blockPool, chosen, clusterUsage, configMap, gadget, HELD, LET_GO, named, usage } from './objects.ts';
import { Scene } from './scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.open();
}, 180_000);

afterAll(() => scene?.close());

/** From a deletion that is refused to one that is made up for, once what uses the object is gone. */
async function lifeOf(using: Target, held: Target, used: Target): Promise<void> {
  await scene.make(held);
  await scene.untilReady(held);
  await scene.refused(used);
  await scene.client.delete(using);
  await scene.untilGone(using, held, used);
}

describe('while an object is used by another', () => {
  test('E1: it is not deleted, and goes once the other and the usage are gone', async () => {
    const ns = await scene.namespace('e1');
    const used = configMap(ns, 'used', { labels: { foo: 'bar' } });
    const using = configMap(ns, 'using');
    await scene.make(used, using);
    const of = chosen(used, { matchLabels: { foo: 'bar' } });
    await lifeOf(using, usage(ns, 'held', { of, by: named(using), replayDeletion: true }), used);
  });

  test('E1: a resource of Rook goes as well, though its deletion is always asked about', async () => {
    const ns = await scene.namespace('e1-rook');
    const [used, using] = [blockPool(ns, 'used'), configMap(ns, 'using')];
    await scene.make(used, using);
    await lifeOf(using, usage(ns, 'held', { of: named(used), by: named(using), replayDeletion: true }), used);
  });

  test('E2: it may be in another namespace', async () => {
    const [ns, there] = [await scene.namespace('e2'), await scene.namespace('e2-there')];
    const used = configMap(there, 'used', { labels: { foo: 'bar' } });
    const using = configMap(ns, 'using');
    await scene.make(used, using);
    const of = chosen(used, { namespace: there, matchLabels: { foo: 'bar' } });
    await lifeOf(using, usage(ns, 'held', { of, by: named(using), replayDeletion: true }), used);
  });

  test('E6: it may have no namespace', async () => {
    const used = gadget('e6-used', { labels: { foo: 'e6' } });
    const using = gadget('e6-using');
    await scene.make(used, using);
    const of = chosen(used, { matchLabels: { foo: 'e6' } });
    await lifeOf(using, clusterUsage('e6-held', { of, by: named(using), replayDeletion: true }), used);
  });
});

describe('an object that is kept for a reason', () => {
  async function keep(used: Target, held: Target): Promise<void> {
    await scene.make(used, held);
    await scene.untilReady(held);
    expect((await scene.refused(used)).message).toContain('with reason: "needed"');
    await scene.client.delete(held);
    await scene.untilGone(held);
    expect((await scene.client.read(used))?.metadata.deletionTimestamp).toBeUndefined();
    await scene.untilDeleted(used);
  }

  test('E3: stays when its usage goes, and is deleted when asked again', async () => {
    const ns = await scene.namespace('e3');
    const used = configMap(ns, 'used');
    await keep(used, usage(ns, 'held', { of: named(used), reason: 'needed' }));
  });

  test('E6: may have no namespace', async () => {
    const used = gadget('e6-kept');
    await keep(used, clusterUsage('e6-kept', { of: named(used), reason: 'needed' }));
  });

  test('E4: in another namespace cannot be named', async () => {
    const ns = await scene.namespace('e4');
    const of = named(configMap('default', 'used'), 'default');
    const { status, message } = await scene.client.create(usage(ns, 'held', { of, reason: 'needed' }));
    expect(status).toBe(422);
    expect(message).toContain('cross-namespace "spec.of" is not allowed without "spec.by" resource.');
  });

  test('E5: in another namespace cannot be selected', async () => {
    const ns = await scene.namespace('e5');
    const of = chosen(configMap('default', 'used'), { namespace: 'default', matchLabels: { foo: 'bar' } });
    const { status, message } = await scene.client.create(usage(ns, 'held', { of, reason: 'needed' }));
    expect(status).toBe(422);
    expect(message).toContain('cross-namespace "spec.of" is not allowed without "spec.by" resource.');
  });
});

describe('parts of a whole, with the usage among them', () => {
  async function makeWhole(
    ns: string,
    ofUsed: object = {},
  ): Promise<Record<'whole' | 'used' | 'using' | 'held', Target>> {
    const whole = configMap(ns, 'whole');
    await scene.make(whole);
    const uid = (await scene.client.read(whole))?.metadata.uid;
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'whole', uid };
    const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }];
    const used = configMap(ns, 'used', { ownerReferences, labels: { part: 'used' }, ...ofUsed });
    const using = configMap(ns, 'using', { ownerReferences, labels: { part: 'using' }, ...HELD });
    const of = chosen(used, { matchControllerRef: true, matchLabels: { part: 'used' } });
    const by = chosen(using, { matchControllerRef: true, matchLabels: { part: 'using' } });
    const held = usage(ns, 'held', { of, by }, { ownerReferences });
    await scene.make(used, using, held);
    await scene.untilReady(held);
    return { whole, used, using, held };
  }

  async function phaseOf(...targets: readonly Target[]): Promise<readonly string[]> {
    const objects = await Promise.all(targets.map((target) => scene.client.read(target)));
    return objects.map((object) =>
      object ? (object.metadata.deletionTimestamp ? 'terminating' : 'live') : 'gone',
    );
  }

  async function untilTriedByCollector(held: Target): Promise<void> {
    await vi.waitFor(
      async () => {
        const attempts = listAt(await scene.client.read(held), 'status', 'attempts');
        expect(attempts.map((attempt) => textAt(attempt, 'user', 'username'))).toContain(
          'system:serviceaccount:kube-system:generic-garbage-collector',
        );
      },
      { timeout: 40_000, interval: 100 },
    );
  }

  test('E7: the used part goes after the using part, without waiting for the garbage collector', async () => {
    const { whole, used, using, held } = await makeWhole(await scene.namespace('e7'));
    await scene.client.delete(whole, { propagationPolicy: 'Background' });
    await scene.untilGone(whole);
    await scene.untilTerminating(using);
    for (const part of [held, used])
      expect((await scene.client.read(part))?.metadata.deletionTimestamp).toBeUndefined();
    await scene.client.patch(using, LET_GO);
    await scene.untilGone(using, held, used);
  });

  test('E8: the whole, deleted in the foreground, goes after all its parts, and these in their order', async () => {
    const { whole, used, using, held } = await makeWhole(await scene.namespace('e8'), HELD);
    await scene.client.delete(whole, { propagationPolicy: 'Foreground' });
    await scene.untilTerminating(using);
    await untilTriedByCollector(held);
    // Whether the usage is deleted already depends on whether the garbage collector has heard of usages yet.
    expect(await phaseOf(whole, used)).toEqual(['terminating', 'live']);
    await scene.client.patch(using, LET_GO);
    await scene.untilTerminating(used);
    expect(await phaseOf(using)).toEqual(['gone']);
    await scene.untilGone(held);
    expect(await phaseOf(whole)).toEqual(['terminating']);
    await scene.client.patch(used, LET_GO);
    await scene.untilGone(used, whole);
  });

  test('E7: a usage that the whole no longer wants goes while the rest stays', async () => {
    const { used, using, held } = await makeWhole(await scene.namespace('e7-replaced'));
    await scene.client.delete(held);
    await scene.untilGone(held);
    for (const part of [used, using])
      expect((await scene.client.read(part))?.metadata.deletionTimestamp).toBeUndefined();
    await scene.untilMarked(used, false);
  });
});

describe('a provider of resources', () => {
  test('E9: is held by a usage for each of its resources, until the last of them is gone', async () => {
    const ns = await scene.namespace('e9');
    const provider = gadget('e9-provider');
    // The one owns its usage; the other, in a namespace, may not, and is watched instead.
    const resources = [gadget('e9-resource'), configMap(ns, 'resource')];
    const [first, second] = resources as [Target, Target];
    await scene.make(provider, first, second);
    const holds = [
      clusterUsage('e9-first', { of: named(provider), by: named(first) }),
      clusterUsage('e9-second', { of: named(provider), by: named(second, ns) }),
    ] as const;
    await scene.make(...holds);
    const owners = (await scene.untilReady(holds[0])).metadata.ownerReferences;
    expect(owners?.map(({ name }) => name)).toEqual(['e9-resource']);
    expect((await scene.untilReady(holds[1])).metadata.ownerReferences).toBeUndefined();
    expect((await scene.refused(provider)).message).toContain('is in use by 2 usages');
    await scene.client.delete(first);
    await scene.untilGone(first, holds[0]);
    expect((await scene.refused(provider)).message).toContain('is in use by 1 usage:');
    await scene.client.delete(second);
    await scene.untilGone(second, holds[1]);
    expect(await scene.client.read(provider)).toBeDefined();
    await scene.untilDeleted(provider);
  });
});

// Last: it starts the controller anew.
test('E1: a deletion is made up for also when all that is watched comes late', async () => {
  await scene.killController();
  await scene.startController(['--watch-delay-ms', '2000']);
  const ns = await scene.namespace('e1-late');
  const [used, using] = [blockPool(ns, 'used'), configMap(ns, 'using')];
  await scene.make(used, using);
  await lifeOf(using, usage(ns, 'held', { of: named(used), by: named(using), replayDeletion: true }), used);
}, 120_000);
