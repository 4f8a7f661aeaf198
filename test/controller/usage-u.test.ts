import { request } from 'node:https';
import { readFile } from 'node:fs/promises';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { fieldAt, listAt, textAt } from '#pkg/object';
import { FINALIZER } from '#pkg/usage';
import type { Target } from './client.ts';
import {
  chosen,
  clusterUsage,
  configMap,
  definition,
  gadget,
  HELD,
  LET_GO,
  named,
  namespace,
  usage,
} from './objects.ts';
import { expectRefusal, Scene } from './scene.ts';

const CONTROLLER = 'system:serviceaccount:rook-deps-system:rook-deps-controller';
const WAIT = { timeout: 40_000, interval: 100 };

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.open();
}, 180_000);

afterAll(() => scene?.close());

interface Cast {
  readonly ns: string;
  readonly used: Target;
  readonly using: Target;
}

async function cast(name: string): Promise<Cast> {
  const ns = await scene.namespace(name);
  const used = configMap(ns, 'used', { labels: { role: 'used' } });
  const using = configMap(ns, 'using', { labels: { role: 'using' } });
  await scene.make(used, using);
  return { ns, used, using };
}

/** With a usage by `using` that is in force. */
async function inUse(name: string, replayDeletion = false): Promise<Cast & { readonly held: Target }> {
  const { ns, used, using } = await cast(name);
  const held = usage(ns, 'held', { of: named(used), by: named(using), replayDeletion });
  await scene.make(held);
  await scene.untilReady(held);
  return { ns, used, using, held };
}

/** With a usage for a reason that is in force. */
async function kept(name: string, replayDeletion = false): Promise<Cast & { readonly held: Target }> {
  const { ns, used, using } = await cast(name);
  const held = usage(ns, 'held', { of: named(used), reason: 'needed', replayDeletion });
  await scene.make(held);
  await scene.untilReady(held);
  return { ns, used, using, held };
}

async function messageOf(held: Target): Promise<string | undefined> {
  return textAt(listAt(await scene.client.read(held), 'status', 'conditions')[0], 'message');
}

/** What the controller has written about objects of a namespace, as lines of the audit log. */
async function writesIn(ns: string): Promise<readonly string[]> {
  const lines = (await readFile(scene.install.plane.auditLog, 'utf8')).split('\n');
  return lines.filter(
    (line) =>
      line.includes(`"username":"${CONTROLLER}"`) &&
      line.includes(`/namespaces/${ns}/`) &&
      /"verb":"(patch|update|delete|create)"/.test(line),
  );
}

describe('a live usage', () => {
  test('U1: that is gone before its turn is no failure', async () => {
    const { ns, used } = await cast('u1');
    const brief = usage(ns, 'brief', {
      of: chosen(used, { matchLabels: { role: 'nobody' } }),
      reason: 'needed',
    });
    await scene.make(brief);
    expect((await scene.client.delete(brief)).status).toBe(200);
    const later = usage(ns, 'later', { of: named(used), reason: 'needed' });
    await scene.make(later);
    await scene.untilReady(later);
    const failures = (await readFile(scene.replica.log, 'utf8'))
      .split('\n')
      .filter((line) => line.includes('u1/brief') && line.includes('failed'));
    expect(failures).toEqual([]);
  });

  test('U2: with a malformed apiVersion is refused', async () => {
    const { ns, used } = await cast('u2');
    const of = { ...named(used), apiVersion: '/invalid/' };
    const reply = await scene.client.create(usage(ns, 'held', { of, reason: 'needed' }));
    expect(reply.status).toBe(422);
    expect(reply.message).toContain('unexpected GroupVersion string: /invalid/');
  });

  test('U6: whose used object does not exist says so, and is ready when it comes', async () => {
    const ns = await scene.namespace('u6');
    const used = configMap(ns, 'used');
    const held = usage(ns, 'held', { of: named(used), reason: 'needed' });
    await scene.make(held);
    await scene.untilReason(held, 'UsedNotFound');
    await scene.make(used);
    await scene.untilReady(held);
    await scene.refused(used);
  });

  test('U8: whose using object does not exist says so, and is ready when it comes', async () => {
    const ns = await scene.namespace('u8');
    const [used, using] = [configMap(ns, 'used'), configMap(ns, 'using')];
    const held = usage(ns, 'held', { of: named(used), by: named(using) });
    await scene.make(used, held);
    await scene.untilReason(held, 'UsingNotFound');
    await scene.make(using);
    await scene.untilReady(held);
  });

  test('U10: of two objects that exist is owned by the one and ready', async () => {
    const { using, held } = await inUse('u10');
    const uid = (await scene.client.read(using))?.metadata.uid;
    const { metadata } = await scene.untilReady(held);
    expect(metadata.ownerReferences).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', name: 'using', uid }]);
    expect(metadata.finalizers).toEqual([FINALIZER]);
  });

  test('U12: for a reason marks what is used, and has no owner', async () => {
    const { used, held } = await kept('u12');
    await scene.untilMarked(used);
    expect((await scene.untilReady(held)).metadata.ownerReferences).toBeUndefined();
  });
});

describe('a deleted usage', () => {
  test('U16: whose using object lives on lets go after a moment', async () => {
    const { used, using, held } = await inUse('u16');
    expect((await scene.client.delete(held)).status).toBe(200);
    await scene.untilGone(held);
    await scene.untilMarked(used, false);
    expect((await scene.client.read(using))?.metadata.deletionTimestamp).toBeUndefined();
    expect((await scene.client.delete(used)).status).toBe(200);
  });

  test('U19: whose used object is gone goes', async () => {
    const { used, held } = await kept('u19');
    await scene.force(used);
    await scene.untilReason(held, 'UsedNotFound');
    await scene.client.delete(held);
    await scene.untilGone(held);
  });

  test('U20: that was the only one takes the marks with it', async () => {
    const { ns, used, held } = await kept('u20');
    await scene.untilMarked(namespace(ns));
    await scene.client.delete(held);
    await scene.untilGone(held);
    await scene.untilMarked(used, false);
    await scene.untilMarked(namespace(ns), false);
  });

  test('U21: repeats the deletion that it refused', async () => {
    const { used, held } = await kept('u21', true);
    await scene.refused(used);
    await scene.client.delete(held);
    await scene.untilGone(held, used);
  });

  test('U22: whose using object is terminating waits for its end', async () => {
    const ns = await scene.namespace('u22-terminating');
    const [used, using] = [configMap(ns, 'used'), configMap(ns, 'using', HELD)];
    const held = usage(ns, 'held', { of: named(used), by: named(using) });
    await scene.make(used, using, held);
    await scene.untilReady(held);
    await scene.client.delete(using);
    await scene.client.delete(held);
    await scene.untilReason(held, 'WaitingForUsing');
    await anotherIsReleased('u22-terminating-clock');
    await scene.refused(used);
    await scene.client.patch(using, LET_GO);
    await scene.untilGone(using, held);
    await scene.untilMarked(used, false);
  });

  test('U22: that is part of the same whole as what uses it waits for its end', async () => {
    const ns = await scene.namespace('u22-whole');
    const whole = configMap(ns, 'whole', HELD);
    await scene.make(whole);
    const uid = (await scene.client.read(whole))?.metadata.uid ?? '';
    const part = {
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'whole', uid, controller: true }],
    };
    const [used, using] = [configMap(ns, 'used'), configMap(ns, 'using', part)];
    const held = usage(ns, 'held', { of: named(used), by: named(using) }, part);
    await scene.make(used, using, held);
    await scene.untilReady(held);
    await scene.client.delete(whole);
    await scene.client.delete(held);
    await scene.untilReason(held, 'WaitingForUsing');
    await anotherIsReleased('u22-whole-clock');
    await scene.refused(used);
    await scene.client.delete(using);
    await scene.untilGone(using, held);
    await scene.untilMarked(used, false);
  });
});

/** As long as a usage takes that is deleted by itself: one that is still there after it waits for something else. */
async function anotherIsReleased(name: string): Promise<void> {
  const { held } = await inUse(name);
  await scene.client.delete(held);
  await scene.untilGone(held);
}

describe('selectors', () => {
  test('S1, S2: of a usage that has names leave its spec as it is', async () => {
    const { ns, used, using } = await cast('s1');
    const specs = [
      { of: named(used), by: named(using) },
      { of: named(used), reason: 'needed' },
    ];
    for (const [index, spec] of specs.entries()) {
      const held = usage(ns, `held-${index}`, spec);
      await scene.make(held);
      expect(fieldAt(await scene.untilReady(held), 'spec')).toEqual(spec);
    }
  });

  test('S7: that match nothing say kind and labels, and are resolved when something comes', async () => {
    const ns = await scene.namespace('s7');
    const used = configMap(ns, 'used', { labels: { role: 'used' } });
    const held = usage(ns, 'held', { of: chosen(used, { matchLabels: { role: 'used' } }), reason: 'needed' });
    await scene.make(held);
    await scene.untilReason(held, 'SelectorUnresolved');
    expect(await messageOf(held)).toBe(
      'spec.of.resourceSelector: no "ConfigMap" found matching labels: role=used',
    );
    await scene.make(used);
    await scene.untilReady(held);
  });

  test('S8: that want the same controller and find none say so', async () => {
    const { ns, used } = await cast('s8');
    const selector = { matchLabels: { role: 'used' }, matchControllerRef: true };
    const held = usage(ns, 'held', { of: chosen(used, selector), reason: 'needed' });
    await scene.make(held);
    await scene.untilReason(held, 'SelectorUnresolved');
    expect(await messageOf(held)).toMatch(/and with same controller reference$/);
  });

  test('S9: of both sides are resolved, and kept', async () => {
    const { ns, used, using } = await cast('s9');
    const of = chosen(used, { matchLabels: { role: 'used' } });
    const by = chosen(using, { matchLabels: { role: 'using' } });
    const held = usage(ns, 'held', { of, by });
    await scene.make(held);
    expect(fieldAt(await scene.untilReady(held), 'spec')).toEqual({
      of: { ...of, resourceRef: { name: 'used' } },
      by: { ...by, resourceRef: { name: 'using' } },
    });
    await scene.refused(used);
  });

  test('that find the object itself say so', async () => {
    const { ns, used } = await cast('s-self');
    const by = chosen(used, { matchLabels: { role: 'used' } });
    const held = usage(ns, 'held', { of: named(used), by });
    await scene.make(held);
    await scene.untilReason(held, 'SelectorUnresolved');
    expect(await messageOf(held)).toContain('ConfigMap "used" cannot use itself');
  });
});

describe('what holds an object', () => {
  test('F4: is named whatever its kind', async () => {
    const ns = await scene.namespace('f4');
    const used = gadget('f4');
    const ours = usage(ns, 'ours', { of: named(used), reason: 'ours' });
    const all = clusterUsage('f4-all', { of: named(used), reason: 'all' });
    await scene.make(used, ours, all);
    await scene.untilReady(ours);
    await scene.untilReady(all);
    const { message, body } = await scene.refused(used);
    expect(message).toContain('is in use by 2 usages');
    expect(listAt(body, 'details', 'causes').map((cause) => textAt(cause, 'message'))).toEqual([
      'Usage "f4/ours" of Gadget/f4 with reason: "ours"',
      'ClusterUsage "f4-all" of Gadget/f4 with reason: "all"',
    ]);
  });

  test('F5, F6: is not mixed up between groups, kinds and names that read alike when joined', async () => {
    const alike = { apiVersion: 'gadget.test.example.com/v1', kind: 'Gadget', metadata: { name: 'f5' } };
    const crd = definition('Gadget', 'Cluster', ['v1']);
    await scene.make({
      ...crd,
      metadata: { name: 'gadgets.gadget.test.example.com' },
      spec: { ...crd.spec, group: 'gadget.test.example.com' },
    } as Target);
    const used = gadget('f5');
    const held = clusterUsage('f5', { of: named(used), reason: 'needed' });
    await scene.make(used, alike, held);
    await scene.untilReady(held);
    const marked = { metadata: { labels: { 'rook-deps.io/in-use': 'true' } } };
    await scene.client.patch(alike, marked, {});
    expect((await scene.client.delete(alike)).status).toBe(200);
    await scene.refused(used);
  });
});

/** Sends a review straight to the webhook, as only the API server should. */
async function review(operation: string, more: object = {}): Promise<unknown> {
  const secret = await scene.client.read({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'rook-deps-webhook', namespace: 'rook-deps-system' },
  });
  const entry = (name: string): string =>
    Buffer.from(textAt(secret, 'data', name) ?? '', 'base64').toString();
  const ca = entry('ca.crt');
  const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
  const resource = { group: '', version: 'v1', resource: 'configmaps' };
  const userInfo = { username: 'ada', groups: [] };
  const body = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'x', operation, kind, resource, userInfo, name: 'used', namespace: 'default', ...more },
  };
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const headers = { 'content-type': 'application/json' };
  const url = `https://127.0.0.1:${scene.replica.webhookPort}/delete/${entry('path-token')}`;
  const sent = request(
    url,
    { method: 'POST', ca, headers, signal: AbortSignal.timeout(10_000) },
    (answer) => {
      json(answer).then(resolve, reject);
    },
  );
  sent.once('error', reject);
  sent.end(JSON.stringify(body));
  return promise;
}

describe('the webhook', () => {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'used', namespace: 'default', uid: 'u' },
  };

  test.each([
    ['W1', 'CREATE', { object }],
    ['W2', 'CONNECT', {}],
    ['W3', 'UPDATE', { object, oldObject: object }],
    ['W4', 'MEDDLE', { object }],
    ['W5', 'DELETE', {}],
  ])('%s: asked about %s without what it needs answers 400', async (_id, operation, more) => {
    const answer = await review(operation, more);
    expect(fieldAt(answer, 'response', 'allowed')).toBe(false);
    expect(fieldAt(answer, 'response', 'status', 'code')).toBe(400);
  });

  test('W6: lets go what no usage holds, marked or not', async () => {
    const ns = await scene.namespace('w6');
    const free = configMap(ns, 'free', { labels: { 'rook-deps.io/in-use': 'true' } });
    await scene.make(free);
    expect((await scene.client.delete(free)).status).toBe(200);
  });

  test('W8: names the usage, its namespace and what uses the object', async () => {
    const { used } = await inUse('w8');
    const { message } = await scene.refused(used);
    expect(message).toContain('Usage "w8/held" of ConfigMap/used by ConfigMap/using');
  });

  test('W9: quotes the reason', async () => {
    const { used } = await kept('w9');
    expect((await scene.refused(used)).message).toContain('with reason: "needed"');
  });

  test('W10: never meets a usage with neither reason nor user, for none can be made', async () => {
    const { ns, used } = await cast('w10');
    const reply = await scene.client.create(usage(ns, 'held', { of: named(used) }));
    expect(reply.status).toBe(422);
    expect(reply.message).toContain('either "spec.by" or "spec.reason" must be specified.');
  });
});

test('U11: a controller that starts anew writes nothing about usages that are in force', async () => {
  const { ns, used, using, held } = await inUse('u11');
  const before = await Promise.all([used, using, held].map((target) => scene.client.read(target)));
  const writes = await writesIn(ns);
  await scene.killController();
  await scene.startController();
  // The new controller takes over when the lease of the old one has run out.
  await vi.waitFor(
    async () => expect(await readFile(scene.replica.log, 'utf8')).toContain('/Usage/u11/held'),
    WAIT,
  );
  const fresh = configMap(ns, 'fresh');
  const last = usage(ns, 'last', { of: named(fresh), reason: 'needed' });
  await scene.make(fresh, last);
  await scene.untilReady(last);
  const after = await Promise.all([used, using, held].map((target) => scene.client.read(target)));
  expect(after).toEqual(before);
  const names = /configmaps\/us|usages\/held/;
  expect((await writesIn(ns)).filter((line) => names.test(line))).toHaveLength(
    writes.filter((line) => names.test(line)).length,
  );
  expectRefusal(await scene.client.delete(used));
}, 120_000);
