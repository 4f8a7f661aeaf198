import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { fieldAt, listAt, numberAt, textAt } from '#pkg/object';
import { FINALIZER, IN_USE_LABEL } from '#pkg/usage';
import type { Target } from './client.ts';
import {
  chosen,
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
import { grantIn, withoutList } from './rights.ts';
import { Scene } from './scene.ts';
import { banWrites } from './write-ban.ts';

const WANTED = { labels: { role: 'wanted' } };
const WAIT = { timeout: 40_000, interval: 100 };

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.open();
  await scene.make(definition('Gizmo', 'Namespaced', ['v1']), definition('Gauge', 'Namespaced', ['v1']));
  // Everything but the right that a scenario gives in its own namespace.
  await scene.make(granted('gizmos', ['list', 'watch', 'patch', 'delete']));
  await scene.make(granted('gauges', ['get', 'watch', 'patch', 'delete']));
}, 180_000);

afterAll(() => scene?.close());

function granted(resource: string, verbs: readonly string[]): Target {
  const labels = { 'rook-deps.io/aggregate-to-controller': 'true' };
  const rules = [{ apiGroups: [TEST_GROUP], resources: [resource], verbs }];
  const metadata = { name: `granted-${resource}`, labels };
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules } as Target;
}

/** Of a kind that the controller cannot get. */
function gizmo(ns: string, name: string, meta: object = {}): Target {
  return { apiVersion: `${TEST_GROUP}/v1`, kind: 'Gizmo', metadata: { name, namespace: ns, ...meta } };
}

/** Of a kind that the controller cannot list. */
function gauge(ns: string, name: string): Target {
  const metadata = { name, namespace: ns, ...WANTED };
  return { apiVersion: `${TEST_GROUP}/v1`, kind: 'Gauge', metadata };
}

const mayGetGizmos = { verb: 'get', group: TEST_GROUP, resource: 'gizmos' };
const mayListGauges = { verb: 'list', group: TEST_GROUP, resource: 'gauges' };

/**
 * In a fresh namespace, an object and one that could use it. Their names are theirs alone: what happens to an object of
 * the same name elsewhere would give their usages a turn as well, and hide that nothing else does.
 */
async function cast(name: string): Promise<{ ns: string; used: Target; using: Target }> {
  const ns = await scene.namespace(name);
  const [used, using] = [configMap(ns, `${ns}-used`), configMap(ns, `${ns}-using`)];
  await scene.make(used, using);
  return { ns, used, using };
}

/** In a fresh namespace, an object that is kept for a reason. */
async function kept(name: string): Promise<{ ns: string; used: Target; using: Target; held: Target }> {
  const { ns, used, using } = await cast(name);
  const held = usage(ns, 'held', { of: named(used), reason: 'needed' });
  await scene.make(held);
  await scene.untilReady(held);
  return { ns, used, using, held };
}

/** A usage that has to find one of its sides, by a label. */
function looking(
  side: 'of' | 'by',
  wanted: Target,
  used: Target,
): { of: object; by?: object; reason?: string } {
  const found = chosen(wanted, { matchLabels: { role: 'wanted' } });
  return side === 'of' ? { of: found, reason: 'needed' } : { of: named(used), by: found };
}

/** Waits until the log has a failed turn of a usage that began since, with these words about why. */
async function untilFailed({ metadata }: Target, why: string | RegExp, sinceMs = 0): Promise<void> {
  const id = `rook-deps.io/Usage/${metadata.namespace}/${metadata.name}`;
  await vi.waitFor(async () => {
    const lines = (await readFile(scene.replica.log, 'utf8')).split('\n').slice(0, -1);
    const failures = lines
      .map((line) => JSON.parse(line) as unknown)
      .filter((fact) => textAt(fact, 'object') === id && textAt(fact, 'msg') === 'reconcile failed')
      .filter((fact) => startOf(fact) >= sinceMs);
    expect(failures.map((fact) => textAt(fact, 'err')).join('\n')).toMatch(why);
  }, WAIT);
}

function startOf(fact: unknown): number {
  return Date.parse(textAt(fact, 'time') ?? '') - (numberAt(fact, 'durationMs') ?? 0);
}

/** Deletes a usage that cannot be released: it keeps its finalizer. */
async function deleteInVain(held: Target, why: string | RegExp): Promise<void> {
  expect((await scene.client.delete(held)).status).toBe(200);
  await untilFailed(held, why, Date.now());
  expect(await finalizersOf(held)).toEqual([FINALIZER]);
}

async function messageOf(held: Target): Promise<string> {
  return textAt(listAt(await scene.client.read(held), 'status', 'conditions')[0], 'message') ?? '';
}

async function finalizersOf(held: Target): Promise<readonly string[]> {
  return (await scene.client.read(held))?.metadata.finalizers ?? [];
}

async function isMarked(target: Target): Promise<boolean> {
  return (await scene.client.read(target))?.metadata.labels?.[IN_USE_LABEL] === 'true';
}

describe.concurrent('a live usage', () => {
  test('U4: whose finalizer is refused says so, and touches nothing until it is not', async () => {
    const { ns, used } = await cast('u4');
    const lift = await banWrites(scene, ns, {
      resource: 'usages',
      when: 'object.metadata.?finalizers.orValue([]).size() > oldObject.metadata.?finalizers.orValue([]).size()',
    });
    const held = usage(ns, 'held', { of: named(used), reason: 'needed' });
    await scene.make(held);
    await scene.untilReason(held, 'Forbidden');
    expect(await messageOf(held)).toContain('banned in u4');
    await untilFailed(held, 'banned in u4');
    expect(await finalizersOf(held)).toEqual([]);
    for (const target of [used, namespace(ns)]) expect(await isMarked(target)).toBe(false);
    await lift();
    await scene.untilReady(held);
    expect(await finalizersOf(held)).toEqual([FINALIZER]);
    await scene.refused(used);
  });

  test('U5: whose details are refused says so in the log, and holds all the same', async () => {
    const { ns, used } = await cast('u5');
    const lift = await banWrites(scene, ns, {
      resource: 'usages/status',
      when: "object.?status.?details.orValue('') != oldObject.?status.?details.orValue('')",
    });
    const held = usage(ns, 'held', { of: named(used), reason: 'needed' });
    await scene.make(held);
    await untilFailed(held, 'banned in u5');
    expect(fieldAt(await scene.client.read(held), 'status', 'conditions')).toBeUndefined();
    expect(await finalizersOf(held)).toEqual([FINALIZER]);
    await scene.refused(used);
    await lift();
    expect(textAt(await scene.untilReady(held), 'status', 'details')).toBe('needed');
  });

  test.each([
    ['u7-forbidden', 'Forbidden'],
    ['u7-invalid', 'Invalid'],
  ] as const)(
    'U7: whose label is refused on what it uses is not ready until it is not (%s)',
    async (name, reason) => {
      const { ns, used } = await cast(name);
      const lift = await banWrites(scene, ns, {
        resource: 'configmaps',
        when: `'${IN_USE_LABEL}' in object.metadata.?labels.orValue({})`,
        reason,
      });
      const held = usage(ns, 'held', { of: named(used), reason: 'needed' });
      await scene.make(held);
      await scene.untilReason(held, 'Forbidden');
      expect(await messageOf(held)).toContain(`banned in ${name}`);
      expect(await messageOf(held)).not.toContain('install --grant');
      await untilFailed(held, `banned in ${name}`);
      for (const target of [used, namespace(ns)]) expect(await isMarked(target)).toBe(false);
      await lift();
      await scene.untilReady(held);
      await scene.refused(used);
    },
  );

  test('U7: that lacks the right to mark what it uses names the command, and is ready once granted', async () => {
    const ns = await scene.namespace('u7-ungranted');
    const used = gizmo(ns, `${ns}-used`);
    const held = usage(ns, 'held', { of: named(used), reason: 'needed' });
    await scene.make(used, held);
    await scene.untilReason(held, 'Forbidden');
    expect(await messageOf(held)).toContain('kubectl rook-deps install --grant gizmos.test.example.com');
    expect(await isMarked(used)).toBe(false);
    await grantIn(scene, ns, mayGetGizmos);
    await scene.untilReady(held);
    await scene.refused(used);
  });

  test('U9: that may not be tied to what uses it is not ready until it may, and holds all the same', async () => {
    const { ns, used, using } = await cast('u9');
    const lift = await banWrites(scene, ns, {
      resource: 'usages',
      when: 'object.metadata.?ownerReferences.orValue([]) != oldObject.metadata.?ownerReferences.orValue([])',
    });
    const held = usage(ns, 'held', { of: named(used), by: named(using) });
    await scene.make(held);
    await scene.untilReason(held, 'Forbidden');
    expect(await messageOf(held)).toContain('banned in u9');
    await untilFailed(held, 'banned in u9');
    expect((await scene.client.read(held))?.metadata.ownerReferences).toBeUndefined();
    await scene.refused(used);
    await lift();
    const uid = (await scene.client.read(using))?.metadata.uid;
    expect((await scene.untilReady(held)).metadata.ownerReferences).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'u9-using', uid },
    ]);
  });
});

describe('a selector', () => {
  // One after the other, and in this order: any change of a Gauge gives a turn to who looks for one.
  test.each([
    ['U3, S4', 'by'],
    ['U3, S3', 'of'],
  ] as const)('%s: whose kind (spec.%s) cannot be listed is resolved once it can', async (_id, side) => {
    const { ns, used } = await cast(`list-${side}`);
    const wanted = gauge(ns, 'wanted');
    const held = usage(ns, 'held', looking(side, wanted, used));
    await scene.make(wanted, held);
    await scene.untilReason(held, 'SelectorUnresolved');
    const why = `spec.${side}.resourceSelector: cannot list resources matching labels: `;
    expect(await messageOf(held)).toContain(why);
    await untilFailed(held, `cannot resolve ${why}`);
    expect(await finalizersOf(held)).toEqual([]);
    for (const target of [used, wanted]) expect(await isMarked(target)).toBe(false);
    await grantIn(scene, ns, mayListGauges);
    expect(fieldAt(await scene.untilReady(held), 'spec', side, 'resourceRef')).toEqual({ name: 'wanted' });
    await scene.refused(side === 'of' ? wanted : used);
  });

  test.concurrent.each([
    ['S5', 'of', gadget('s5-found', WANTED)],
    ['S6', 'by', widget('s6', 's6-found', WANTED)],
  ] as const)(
    '%s: whose find (spec.%s) may not be written is resolved once it may',
    async (id, side, found) => {
      const { ns, used } = await cast(id.toLowerCase());
      await scene.make(found);
      const lift = await banWrites(scene, ns, {
        resource: 'usages',
        when: `object.spec.${side}.?resourceRef.hasValue() && !oldObject.spec.${side}.?resourceRef.hasValue()`,
      });
      const spec = looking(side, found, used);
      const held = usage(ns, 'held', spec);
      await scene.make(held);
      await scene.untilReason(held, 'Forbidden');
      const { name } = found.metadata;
      expect(await messageOf(held)).toContain(`spec.${side}.resourceSelector: cannot take "${name}": `);
      await untilFailed(held, new RegExp(`cannot resolve spec.${side}.resourceSelector.*banned in ${ns}`));
      expect(fieldAt(await scene.client.read(held), 'spec')).toEqual(spec);
      expect(await finalizersOf(held)).toEqual([]);
      for (const target of [used, found]) expect(await isMarked(target)).toBe(false);
      await lift();
      expect(fieldAt(await scene.untilReady(held), 'spec', side, 'resourceRef')).toEqual({ name });
      await scene.refused(side === 'of' ? found : used);
    },
  );
});

describe.concurrent('a deleted usage', () => {
  test('U13: whose finalizer may not be removed says that it holds nothing, and goes once it may', async () => {
    const { ns, used, held } = await kept('u13');
    const lift = await banWrites(scene, ns, {
      resource: 'usages',
      when: 'object.metadata.?finalizers.orValue([]).size() < oldObject.metadata.?finalizers.orValue([]).size()',
    });
    await deleteInVain(held, 'banned in u13');
    await scene.untilReason(held, 'Released');
    expect(await isMarked(used)).toBe(false);
    await lift();
    await scene.untilGone(held);
    expect(await scene.client.read(used)).toBeDefined();
  });

  test('U14: whose used object cannot be read keeps its finalizer until it can', async () => {
    const ns = await scene.namespace('u14');
    const used = gizmo(ns, `${ns}-used`);
    const held = usage(ns, 'held', { of: named(used), reason: 'needed' });
    const revoke = await grantIn(scene, ns, mayGetGizmos);
    await scene.make(used, held);
    await scene.untilReady(held);
    await revoke();
    await deleteInVain(held, 'cannot get resource "gizmos"');
    expect(await isMarked(used)).toBe(true);
    await grantIn(scene, ns, mayGetGizmos);
    await scene.untilGone(held);
    await scene.untilMarked(used, false);
  });

  test('U15: that is part of a whole holds on while what uses the object cannot be read', async () => {
    const ns = await scene.namespace('u15');
    const whole = configMap(ns, 'whole', HELD);
    const revoke = await grantIn(scene, ns, mayGetGizmos);
    await scene.make(whole);
    const uid = (await scene.client.read(whole))?.metadata.uid ?? '';
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'whole', uid, controller: true };
    const part = { ownerReferences: [owner] };
    const [used, using] = [configMap(ns, `${ns}-used`), gizmo(ns, `${ns}-using`, part)];
    const held = usage(ns, 'held', { of: named(used), by: named(using) }, part);
    await scene.make(used, using, held);
    await scene.untilReady(held);
    await revoke();
    await scene.client.delete(whole);
    await deleteInVain(held, 'cannot get resource "gizmos"');
    await scene.refused(used);
    await grantIn(scene, ns, mayGetGizmos);
    await scene.untilReason(held, 'WaitingForUsing');
    await scene.refused(used);
    await scene.client.delete(using);
    await scene.untilGone(using, held);
    await scene.untilMarked(used, false);
    await scene.client.patch(whole, LET_GO);
  });

  test('U18: whose label may not be taken off keeps its finalizer until it may', async () => {
    const { ns, used, held } = await kept('u18');
    const lift = await banWrites(scene, ns, {
      resource: 'configmaps',
      when: `!('${IN_USE_LABEL}' in object.metadata.?labels.orValue({}))`,
    });
    await deleteInVain(held, 'banned in u18');
    expect(await isMarked(used)).toBe(true);
    await lift();
    await scene.untilGone(held);
    await scene.untilMarked(used, false);
  });
});

describe('while usages cannot be listed', () => {
  test('U17: a deleted usage keeps its finalizer, and what it used its label', async () => {
    const { used, held } = await kept('u17');
    await withoutList(scene, ['usages'], async () => {
      await deleteInVain(held, 'cannot list Usage: forbidden');
      expect(await isMarked(used)).toBe(true);
    });
    await scene.untilGone(held);
    await scene.untilMarked(used, false);
  });

  // There is no older kind of usage here, which the third once was: both kinds together stand for it.
  test.each([
    ['F1', 'Usage', ['usages']],
    ['F2', 'ClusterUsage', ['clusterusages']],
    ['F3', 'Usage', ['usages', 'clusterusages']],
  ])(
    '%s, W7: the webhook lets nothing go that is not known to be held, nor a usage in',
    async (id, kind, resources) => {
      const { ns, used, using } = await kept(id.toLowerCase());
      const free = configMap(ns, 'free', { labels: { [IN_USE_LABEL]: 'true' } });
      await scene.make(free);
      await withoutList(scene, resources, async () => {
        const { status, message } = await scene.client.delete(free);
        expect(status).toBe(500);
        expect(message).toMatch(
          new RegExp(`cannot decide on this request .*: cannot list ${kind}: forbidden`),
        );
        expect((await scene.client.read(free))?.metadata.deletionTimestamp).toBeUndefined();
        await scene.refused(used);
        // Nor may it let in what could close a circle.
        const another = usage(ns, 'another', { of: named(used), by: named(using) });
        expect((await scene.client.create(another)).status).toBe(500);
      });
      expect((await scene.client.delete(free)).status).toBe(200);
    },
  );
});
