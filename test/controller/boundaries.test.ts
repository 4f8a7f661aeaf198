import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isRecord, listAt, numberAt, recordAt, textAt } from '#pkg/object';
import { IN_USE_LABEL } from '#pkg/usage';
import { aReview } from '../../pkg/admission/testing/reviews.ts';
import type { Target } from './client.ts';
import { configMap, named, usage } from './objects.ts';
import { Scene } from './scene.ts';

const WAIT = { timeout: 40_000, interval: 100 };
const SECRET = { name: 'rook-deps-webhook', namespace: 'rook-deps-system' };

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.open();
  await scene.install.grant('services');
}, 180_000);

afterAll(() => scene?.close());

test('a Service that was protected and released still reaches its EndpointSlice', async () => {
  const ns = await scene.namespace('copies');
  const shop = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'shop', namespace: ns } };
  const spec = { selector: { app: 'shop' }, publishNotReadyAddresses: true, ports: [{ port: 8080 }] };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'shop', namespace: ns, labels: { app: 'shop' } },
    spec: { containers: [{ name: 'shop', image: 'shop' }] },
  };
  await scene.make(pod, { ...shop, spec } as Target);
  const status = { podIP: '10.1.0.1', podIPs: [{ ip: '10.1.0.1' }] };
  expect((await scene.client.patch(pod, { status }, { subresource: 'status' })).status).toBe(200);
  await untilSlice(ns, { isMarked: false, port: 8080 });

  const held = usage(ns, 'held', { of: named(shop), reason: 'customers' });
  await scene.make(held);
  await scene.untilReady(held);
  await untilSlice(ns, { isMarked: true, port: 8080 });
  await scene.refused(shop);
  await scene.client.delete(held);
  await scene.untilMarked(shop, false);
  await scene.client.patch(shop, { spec: { ports: [{ port: 9090 }] } });
  await untilSlice(ns, { isMarked: false, port: 9090 });
});

describe('a review that the API server did not send', () => {
  /** As if the garbage collector had been refused, and were to be made up for. */
  async function forged(used: Target, path: string): Promise<number> {
    const object = await scene.client.read(used);
    const review = aReview({
      name: used.metadata.name,
      namespace: used.metadata.namespace,
      userInfo: { username: 'system:serviceaccount:kube-system:generic-garbage-collector' },
      oldObject: object,
    });
    const { ca } = await made();
    const { webhookPort } = scene.replica;
    const headers = { 'content-type': 'application/json' };
    const sent = request(`https://127.0.0.1:${webhookPort}${path}`, { method: 'POST', ca, headers });
    sent.end(JSON.stringify(review));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode ?? 0;
  }

  async function made(): Promise<{ ca: string; token: string }> {
    const secret = await scene.client.read({ apiVersion: 'v1', kind: 'Secret', metadata: SECRET });
    const entry = (name: string): string =>
      Buffer.from(textAt(secret, 'data', name) ?? '', 'base64').toString();
    return { ca: entry('ca.crt'), token: entry('path-token') };
  }

  async function attemptsOf(held: Target): Promise<readonly unknown[]> {
    return listAt(await scene.client.read(held), 'status', 'attempts').map((attempt) =>
      textAt(attempt, 'user', 'username'),
    );
  }

  test('is not heard without the token that only the API server knows', async () => {
    const ns = await scene.namespace('forged');
    const used = configMap(ns, 'used');
    const held = usage(ns, 'held', { of: named(used), reason: 'needed' });
    await scene.make(used, held);
    await scene.untilReady(held);
    for (const path of ['/delete', '/delete/', `/delete/${'0'.repeat(64)}`, '/usage'])
      expect({ path, status: await forged(used, path) }).toEqual({ path, status: 404 });
    expect(await attemptsOf(held)).toEqual([]);
    await scene.refused(used);
    expect(await attemptsOf(held)).toEqual(['admin']);
    // It is the token that keeps others out, and nothing else.
    const { token } = await made();
    expect(await forged(used, `/delete/${token}`)).toBe(200);
    expect(await attemptsOf(held)).toHaveLength(2);
  });

  test('finds the token neither in the log nor in the metrics', async () => {
    const { token } = await made();
    const { log, healthPort } = scene.replica;
    const lines = await readFile(log, 'utf8');
    expect(lines).toContain('"path":"/delete"');
    expect(lines).not.toContain(token);
    const metrics = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text();
    expect(metrics).toContain('rook_deps_');
    expect(metrics).not.toContain(token);
  });

  const target = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'rook-deps' },
  };

  async function addresses(): Promise<readonly string[]> {
    return listAt(await scene.client.read(target), 'webhooks').map(
      (webhook) => textAt(webhook, 'clientConfig', 'url') ?? '',
    );
  }

  test('is not heard for long where somebody resets the path', async () => {
    const before = await addresses();
    const webhooks = listAt(await scene.client.read(target), 'webhooks').map((webhook) => {
      const config = recordAt(webhook, 'clientConfig');
      const url = (textAt(config, 'url') ?? '').replace(/\/[0-9a-f]{64}$/, '');
      return { ...recordAt(webhook), clientConfig: { ...config, url } };
    });
    expect((await scene.client.patch(target, { webhooks })).status).toBe(200);
    await vi.waitFor(async () => expect(await addresses()).toEqual(before), WAIT);
  });

  test('is not heard with a token that an administrator has removed', async () => {
    const ns = await scene.namespace('rotated');
    const used = configMap(ns, 'used');
    const held = usage(ns, 'held', { of: named(used), reason: 'needed' });
    await scene.make(used, held);
    await scene.untilReady(held);
    const { token: old } = await made();
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: SECRET };
    expect((await scene.client.patch(secret, { data: { 'path-token': null } })).status).toBe(200);
    await vi.waitFor(async () => {
      const { token } = await made();
      expect(token).toMatch(/^[0-9a-f]{64}$/);
      expect(token).not.toBe(old);
      expect((await addresses()).every((address) => address.endsWith(`/${token}`))).toBe(true);
      expect(await forged(used, `/delete/${old}`)).toBe(404);
      await scene.refused(used);
    }, WAIT);
  });
});

// Last: nobody answers from here on.
test('an EndpointSlice of a protected Service goes and comes also while nobody answers', async () => {
  const ns = await scene.namespace('copies-alone');
  const shop = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'shop', namespace: ns } };
  const held = usage(ns, 'held', { of: named(shop), reason: 'customers' });
  await scene.make({ ...shop, spec: { selector: { app: 'shop' }, ports: [{ port: 8080 }] } } as Target, held);
  await scene.untilReady(held);
  await untilSlice(ns, { isMarked: true, port: undefined });
  await scene.killController();
  expect((await scene.client.delete(shop)).message).toContain('failed calling webhook "in-use.rook-deps.io"');
  const slices = `/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices`;
  expect((await scene.client.send('DELETE', slices, undefined)).status).toBe(200);
  await untilSlice(ns, { isMarked: true, port: undefined });
});

async function untilSlice(
  ns: string,
  wanted: { isMarked: boolean; port: number | undefined },
): Promise<void> {
  const path = `/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices`;
  await vi.waitFor(async () => {
    const slices = listAt((await scene.client.send('GET', path, undefined)).body, 'items').filter(isRecord);
    const seen = slices.map((slice) => ({
      isMarked: IN_USE_LABEL in recordAt(slice, 'metadata', 'labels'),
      port: numberAt(listAt(slice, 'ports')[0], 'port'),
    }));
    expect(seen).toEqual([wanted]);
  }, WAIT);
}
