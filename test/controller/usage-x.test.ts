import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { listAt, textAt } from '#pkg/object';
import type { Target } from './client.ts';
import { CONTROLLER } from './local-install.ts';
import {
  blockPool,
  configMap,
  definition,
  gadget,
  HELD,
  LET_GO,
  named,
  namespace,
  TEST_GROUP,
  usage,
  widget,
} from './objects.ts';
import { expectRefusal, Scene } from './scene.ts';

const UNMARK = { metadata: { labels: { 'rook-deps.io/in-use': null } } };

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.open();
}, 180_000);

afterAll(() => scene?.close());

/** A fresh namespace with an object that is kept for a reason. */
async function kept(name: string, replayDeletion = false): Promise<{ used: Target; held: Target }> {
  const ns = await scene.namespace(name);
  const used = configMap(ns, 'used');
  const held = usage(ns, 'held', { of: named(used), reason: 'needed', replayDeletion });
  await scene.make(used, held);
  await scene.untilReady(held);
  return { used, held };
}

/** A fresh namespace with an object that another uses, which takes its time to go. */
async function inUse(
  name: string,
  replayDeletion = false,
): Promise<{ used: Target; using: Target; held: Target }> {
  const ns = await scene.namespace(name);
  const used = configMap(ns, 'used');
  const using = configMap(ns, 'using', HELD);
  const held = usage(ns, 'held', { of: named(used), by: named(using), replayDeletion });
  await scene.make(used, using, held);
  await scene.untilReady(held);
  return { used, using, held };
}

async function isLive(target: Target): Promise<boolean> {
  const object = await scene.client.read(target);
  return object !== undefined && object.metadata.deletionTimestamp === undefined;
}

describe('a refusal', () => {
  test('X1: of a dry run writes nothing', async () => {
    const { used, held } = await kept('x1');
    const before = [await scene.client.read(used), await scene.client.read(held)];
    expectRefusal(await scene.client.delete(used, { query: 'dryRun=All' }));
    expect([await scene.client.read(used), await scene.client.read(held)]).toEqual(before);
  });

  test('X11: meets the deletion of a whole collection', async () => {
    const ns = await scene.namespace('x11');
    const labels = { set: 'x11' };
    const objects = ['a', 'b', 'c'].map((name) => configMap(ns, name, { labels }));
    const [, used] = objects as [Target, Target, Target];
    const held = usage(ns, 'held', { of: named(used), reason: 'needed' });
    await scene.make(...objects, held);
    await scene.untilReady(held);
    expectRefusal(await scene.client.deleteCollection(used, 'labelSelector=set%3Dx11'));
    expect(await isLive(used)).toBe(true);
  });

  test('X12: meets the deletion of the namespace', async () => {
    const { held } = await kept('x12');
    expect((await scene.refused(namespace('x12'))).message).toContain('Usage "x12/held" of ConfigMap/used');
    await scene.client.delete(held);
    await scene.untilGone(held);
    await scene.untilDeleted(namespace('x12'));
    await scene.untilGone(namespace('x12'));
  });

  test('X12: meets the deletion of the definition', async () => {
    const ns = await scene.namespace('x12-definition');
    const used = widget(ns, 'used');
    const held = usage(ns, 'held', { of: named(used), reason: 'needed' });
    await scene.make(used, held);
    await scene.untilReady(held);
    const widgets = definition('Widget', 'Namespaced', ['v1']);
    expect((await scene.refused(widgets)).message).toContain('Usage "x12-definition/held" of Widget/used');
    await scene.client.delete(held);
    await scene.untilMarked(widgets, false);
  });

  test('X12: meets the deletion of the definition of usages, with which all would go', async () => {
    await kept('x12-own');
    const usages = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'usages.rook-deps.io' },
    };
    expect((await scene.refused(usages)).message).toContain('Usage "x12-own/held" of ConfigMap/used');
  });

  test('X18: does not depend on the version of the API', async () => {
    const ns = await scene.namespace('x18');
    const used = widget(ns, 'used');
    const held = usage(ns, 'held', { of: named(used), reason: 'needed' });
    const older = { ...named(used), apiVersion: `${TEST_GROUP}/v1beta1` };
    const other = widget(ns, 'other');
    const heldOlder = usage(ns, 'held-older', {
      of: { ...older, resourceRef: { name: 'other' } },
      reason: 'needed',
    });
    await scene.make(used, held, other, heldOlder);
    await scene.untilReady(held);
    await scene.untilReady(heldOlder);
    expectRefusal(await scene.client.delete(used, { apiVersion: `${TEST_GROUP}/v1beta1` }));
    await scene.refused(other);
  });
});

describe('the mark', () => {
  test('X2: is gone when two usages went at once', async () => {
    const { used, held } = await kept('x2');
    const second = usage('x2', 'second', { of: named(used), reason: 'needed too' });
    await scene.make(second);
    await scene.untilReady(second);
    await Promise.all([held, second].map((target) => scene.client.delete(target)));
    await scene.untilGone(held, second);
    await scene.untilMarked(used, false);
    expect((await scene.client.delete(used)).status).toBe(200);
  });

  test('X3: stays when one usage goes and another comes', async () => {
    const { used, held } = await kept('x3');
    let last = held;
    for (let turn = 0; turn < 5; turn++) {
      const next = usage('x3', `next-${turn}`, { of: named(used), reason: 'needed' });
      await scene.make(next);
      await scene.client.delete(last);
      // Asked on and on until the first has gone: there is no moment without protection.
      while (await scene.client.read(last))
        expectRefusal(await scene.client.delete(used, { query: 'dryRun=All' }));
      expectRefusal(await scene.client.delete(used, { query: 'dryRun=All' }));
      last = next;
    }
  });

  test('X3: is there in the end when one usage goes while another comes', async () => {
    const { used, held } = await kept('x3-at-once');
    let last = held;
    for (let turn = 0; turn < 5; turn++) {
      const next = usage('x3-at-once', `next-${turn}`, { of: named(used), reason: 'needed' });
      await Promise.all([scene.client.delete(last), scene.make(next)]);
      await scene.untilReady(next);
      while (await scene.client.read(last))
        expectRefusal(await scene.client.delete(used, { query: 'dryRun=All' }));
      expectRefusal(await scene.client.delete(used, { query: 'dryRun=All' }));
      last = next;
    }
    await scene.untilMarked(used);
  });

  test('X4: cannot be taken off', async () => {
    const { used } = await kept('x4');
    const { status, message } = await scene.client.patch(used, UNMARK);
    expect(message).toContain('release it with: kubectl rook-deps unprotect configmaps/used -n x4');
    expect(status).toBe(403);
    await scene.refused(used);
  });

  test(
    'X4: is taken off when it came without a usage, as with a copied manifest',
    { timeout: 120_000 },
    async () => {
      const ns = await scene.namespace('x4-copied');
      const copied = configMap(ns, 'copied', { labels: { 'rook-deps.io/in-use': 'true' } });
      await scene.make(copied);
      expect((await scene.client.patch(copied, UNMARK)).status).toBe(403);
      await scene.killController();
      await scene.startController();
      await scene.untilMarked(copied, false);
    },
  );

  test('X4: comes back when it got lost', async () => {
    const { used } = await kept('x4-lost');
    expect((await scene.client.patch(used, UNMARK, { as: CONTROLLER })).status).toBe(200);
    await scene.untilMarked(used);
    await scene.refused(used);
  });

  test('X8: is put on an object that takes the name of the old one', async () => {
    const { used, held } = await kept('x8');
    await scene.force(used);
    await scene.make(used);
    await scene.untilMarked(used);
    await scene.refused(used);
    await scene.untilReady(held);
  });

  test('X8: is not waited for with resources of Rook', async () => {
    const ns = await scene.namespace('x8-rook');
    const used = blockPool(ns, 'used');
    const held = usage(ns, 'held', { of: named(used), reason: 'needed' });
    await scene.make(used, held);
    await scene.untilReady(held);
    await scene.force(used);
    await scene.make(used);
    await scene.refused(used);
  });
});

describe('a usage', () => {
  test('X5: holds until what uses the object is really gone, also with foreground deletion', async () => {
    const { used, using, held } = await inUse('x5');
    await scene.client.delete(using, { propagationPolicy: 'Foreground' });
    // The garbage collector has done its part, with or without a deletion of the usage; only our finalizer is left.
    await vi.waitFor(async () => {
      const { deletionTimestamp, finalizers } = (await scene.client.read(using))?.metadata ?? {};
      expect(deletionTimestamp).toBeDefined();
      expect(finalizers).toEqual(HELD.finalizers);
    }, 40_000);
    expect(await scene.client.read(held)).toBeDefined();
    await scene.refused(used);
    // Nor does it help to delete the usage as well.
    await scene.client.delete(held);
    await scene.untilReason(held, 'WaitingForUsing');
    await scene.refused(used);
    await scene.client.patch(using, LET_GO);
    await scene.untilGone(using, held);
    expect(await isLive(used)).toBe(true);
    await scene.untilDeleted(used);
  });

  test('X6: keeps the order when all are deleted at once', async () => {
    const { used, using, held } = await inUse('x6', true);
    const [, , refusal] = await Promise.all([held, using, used].map((target) => scene.client.delete(target)));
    if (refusal) expectRefusal(refusal);
    await scene.untilReason(held, 'WaitingForUsing');
    await scene.refused(used);
    await scene.client.patch(using, LET_GO);
    await scene.untilGone(using, held, used);
  });

  test('X6: keeps the order when it is deleted a moment before what uses the object', async () => {
    const { used, using, held } = await inUse('x6-first');
    await scene.client.delete(held);
    await scene.client.delete(using);
    await scene.untilReason(held, 'WaitingForUsing');
    await scene.refused(used);
    await scene.client.patch(using, LET_GO);
    await scene.untilGone(using, held);
    expect(await isLive(used)).toBe(true);
  });

  test('X7: in a namespace protects an object without one', async () => {
    const ns = await scene.namespace('x7');
    const used = gadget('x7-used');
    const held = usage(ns, 'held', { of: named(used), reason: 'needed' });
    await scene.make(used, held);
    await scene.untilReady(held);
    await scene.refused(used);
    await scene.client.delete(held);
    await scene.untilGone(held);
    await scene.untilDeleted(used);
  });

  test('X9: says that its object is gone, and that it is back', async () => {
    const { used, held } = await kept('x9');
    await scene.force(used);
    await scene.untilReason(held, 'UsedNotFound');
    await scene.untilMarked(namespace('x9'), false);
    await scene.make(used);
    await scene.untilReady(held);
    await scene.untilMarked(namespace('x9'));
  });

  test('X10: says that it comes too late', async () => {
    const ns = await scene.namespace('x10');
    const used = configMap(ns, 'used', HELD);
    await scene.make(used);
    await scene.client.delete(used);
    const held = usage(ns, 'held', { of: named(used), reason: 'needed' });
    await scene.make(held);
    await scene.untilReason(held, 'AlreadyTerminating');
    await scene.client.patch(used, LET_GO);
    await scene.untilReason(held, 'UsedNotFound');
  });

  test('X13: does not close a circle', async () => {
    const ns = await scene.namespace('x13');
    const [a, b, c] = ['a', 'b', 'c'].map((name) => configMap(ns, name)) as [Target, Target, Target];
    const uses = (by: Target, of: Target): Target =>
      usage(ns, `${by.metadata.name}-uses-${of.metadata.name}`, { of: named(of), by: named(by) });
    await scene.make(a, b, c, uses(a, b), uses(b, c));
    const circle = await scene.client.create(uses(c, a));
    expect(circle.message).toContain('ConfigMap/c → ConfigMap/a → ConfigMap/b → ConfigMap/c');
    expect(circle.status).toBe(422);
    const self = await scene.client.create(uses(a, a));
    expect(self.message).toContain('ConfigMap "a" cannot use itself');
    expect(self.status).toBe(422);
  });
});

describe('a forced deletion', () => {
  const BREAK_GLASS = { metadata: { annotations: { 'rook-deps.io/force-delete': 'the rack is on fire' } } };

  async function firefighter(ns: string, ...verbs: readonly string[]): Promise<string> {
    const name = `firefighter-${verbs.length}`;
    const metadata = { name, namespace: ns };
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'patch', ...verbs] }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }];
    const binding = { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects };
    await scene.make({ apiVersion, kind: 'Role', metadata, rules } as Target, binding);
    return name;
  }

  test('needs a right of its own, besides the annotation', async () => {
    const { used } = await kept('force-refused');
    const as = await firefighter('force-refused', 'delete');
    // The API server learns of a new role a moment later.
    await vi.waitFor(async () => {
      expect((await scene.client.patch(used, BREAK_GLASS, { as })).status).toBe(200);
      expectRefusal(await scene.client.delete(used, { as }));
    }, 40_000);
    expect(await isLive(used)).toBe(true);
  });

  test('passes with that right, and an Event says who and why', async () => {
    const { used } = await kept('force');
    const as = await firefighter('force', 'delete', 'force-delete');
    await vi.waitFor(async () => expectRefusal(await scene.client.delete(used, { as })), 40_000);
    await scene.client.patch(used, BREAK_GLASS, { as });
    expect((await scene.client.delete(used, { as })).status).toBe(200);
    await scene.untilGone(used);
    const events = await scene.client.send(
      'GET',
      '/apis/events.k8s.io/v1/namespaces/force/events',
      undefined,
    );
    const notes = listAt(events.body, 'items').map((event) => [
      textAt(event, 'reason'),
      textAt(event, 'note'),
    ]);
    expect(notes).toContainEqual([
      'DeletionForced',
      `${as} forced the deletion in spite of 1 cause against it: the rack is on fire`,
    ]);
  });
});

describe('a replay', () => {
  test('X14: spares an object that took the name of the one that was meant', async () => {
    const { used, held } = await kept('x14', true);
    await scene.refused(used);
    await scene.force(used);
    await scene.make(used);
    await scene.untilMarked(used);
    await scene.client.delete(held);
    await scene.untilGone(held);
    expect(await isLive(used)).toBe(true);
  });

  test('X16: needs the right to delete of whoever asked', async () => {
    const { used, held } = await kept('x16', true);
    await scene.make(...mallory('x16'));
    const as = 'mallory';
    const own = usage('x16', 'own', { of: named(used), reason: 'mine', replayDeletion: true });
    // The API server learns of a new role a moment later.
    await vi.waitFor(async () => {
      const made = await scene.client.create(own, { as });
      expect(made.message).toContain('user "mallory" cannot delete configmaps "used" in namespace "x16"');
      expect(made.status).toBe(403);
    }, 40_000);
    const uid = (await scene.client.read(used))?.metadata.uid;
    const attempts = [{ time: '2026-01-01T00:00:00Z', user: { username: as }, uid }];
    const forged = { status: { attempts } };
    expect((await scene.client.patch(held, forged, { as, subresource: 'status' })).status).toBe(403);
    // Even if it got there.
    const planted = await scene.client.patch(held, forged, { as: CONTROLLER, subresource: 'status' });
    expect(planted.status).toBe(200);
    expect((await scene.client.delete(held, { as })).status).toBe(200);
    await scene.untilGone(held);
    expect(await isLive(used)).toBe(true);
  });

  test('X16: is not to be had by a status that somebody forged', async () => {
    const { used, held } = await kept('x16-forged');
    // May do anything here, also write the status of anything.
    await scene.make(...owner('x16-forged'));
    const as = 'owner';
    const uid = (await scene.client.read(used))?.metadata.uid;
    const user = { username: 'system:serviceaccount:kube-system:generic-garbage-collector' };
    const forged = { status: { attempts: [{ time: '2026-01-01T00:00:00Z', user, uid }] } };
    // The API server learns of a new role a moment later.
    await vi.waitFor(async () => {
      for (const who of [{ as }, {}]) {
        const refused = await scene.client.patch(held, forged, { ...who, subresource: 'status' });
        expect(refused.message).toContain('only the controller of rook-deps writes the status of its kinds');
        expect(refused.status).toBe(403);
      }
    }, 40_000);
    // Nor by the way of the object itself.
    expect((await scene.client.patch(held, forged, { as })).status).toBe(200);
    expect(listAt(await scene.client.read(held), 'status', 'attempts')).toEqual([]);
    expect((await scene.client.delete(held, { as })).status).toBe(200);
    await scene.untilGone(held);
    expect(await isLive(used)).toBe(true);
  });

  test.each([
    { title: 'the first alone', first: true, second: false, isGone: false },
    { title: 'the second alone', first: false, second: true, isGone: false },
    { title: 'both', first: true, second: true, isGone: true },
  ])('X17: needs the wish of all usages that refused: $title', async (row) => {
    for (const isAtOnce of [false, true]) {
      const ns = `x17-${row.first}-${row.second}-${isAtOnce}`;
      const { used, held } = await kept(ns, row.first);
      const second = usage(ns, 'second', {
        of: named(used),
        reason: 'needed too',
        replayDeletion: row.second,
      });
      await scene.make(second);
      await scene.untilReady(second);
      expect((await scene.refused(used)).message).toContain('is in use by 2 usages');
      if (isAtOnce) await Promise.all([held, second].map((target) => scene.client.delete(target)));
      else {
        await scene.client.delete(held);
        await scene.untilGone(held);
        expect(await isLive(used)).toBe(true);
        await scene.client.delete(second);
      }
      await scene.untilGone(held, second);
      expect(await isLive(used)).toBe(!row.isGone);
    }
  });

  // Last: it starts the controller anew.
  test('X15: is made up for by a controller that was killed before it', async () => {
    const { used, using, held } = await inUse('x15', true);
    await scene.refused(used);
    const recorded = await scene.client.read(held);
    expect(
      listAt(recorded, 'status', 'attempts').map((attempt) => textAt(attempt, 'user', 'username')),
    ).toEqual(['admin']);
    await scene.killController();
    const unanswered = await scene.client.delete(used);
    expect(unanswered.message).toContain('failed calling webhook "in-use.rook-deps.io"');
    await scene.client.delete(using);
    await scene.client.patch(using, LET_GO);
    await scene.untilTerminating(held);
    // As far as it may have come.
    const released = { status: { released: true } };
    expect((await scene.client.patch(held, released, { as: CONTROLLER, subresource: 'status' })).status).toBe(
      200,
    );
    await scene.client.patch(used, UNMARK, { as: CONTROLLER });
    expect(await isLive(used)).toBe(true);
    await scene.startController();
    await scene.untilGone(held, used);
  });
});

/** May change ConfigMaps and make usages in a namespace, but delete no ConfigMap. */
function mallory(ns: string): readonly Target[] {
  return bound(ns, 'mallory', [
    { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'update', 'patch'] },
    { apiGroups: ['rook-deps.io'], resources: ['usages'], verbs: ['*'] },
  ]);
}

/** May do anything in a namespace. */
function owner(ns: string): readonly Target[] {
  return bound(ns, 'owner', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]);
}

function bound(ns: string, name: string, rules: readonly object[]): readonly Target[] {
  const metadata = { name, namespace: ns };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }];
  return [
    { apiVersion, kind: 'Role', metadata, rules } as Target,
    { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects } as Target,
  ];
}
