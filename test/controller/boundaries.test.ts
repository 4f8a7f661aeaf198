import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isRecord, listAt, numberAt, recordAt } from '#pkg/object';
import { IN_USE_LABEL } from '#pkg/usage';
import type { Target } from './client.ts';
import { named, usage } from './objects.ts';
import { Scene } from './scene.ts';

const WAIT = { timeout: 40_000, interval: 100 };

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
