import { expect, test } from 'vitest';
import { refOf } from '#pkg/object';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { serviceObject } from '#test/fakes/critical-world.ts';
import { aDefinition } from '#test/fakes/storage-world.ts';
import { parseCriticalService } from './critical-service.ts';
import { findProvider } from './provider.ts';

const { signal } = new AbortController();

test('a provider whose kind is defined, and not served, is unknown; without the definition it is absent', async () => {
  const definition = aDefinition('elsewhere.org', 'Thing');
  const cluster = new FakeCluster(() => 0, [definition]);
  const provider = { group: 'elsewhere.org', resource: 'things', name: 'one' };
  const service = parseCriticalService(serviceObject({ provider }));
  const ports = {
    get: cluster.get,
    types: () => Promise.resolve(cluster.types),
    holders: () => Promise.resolve([]),
    definitions: async () => cluster.ofKind('apiextensions.k8s.io/CustomResourceDefinition'),
  };
  expect(await findProvider(service, ports, signal)).toMatchObject({ kind: 'unknown' });
  cluster.drop(refOf(definition));
  expect(await findProvider(service, ports, signal)).toEqual({ kind: 'absent' });
});
