import { expect, test } from 'vitest';
import type { KubeObject } from '#pkg/object';
import { fakeReader } from '#test/fakes/reader.ts';
import { rolloutLack, unfinished } from './rollout.ts';

const signal = new AbortController().signal;

function deployment(status: object, generation = 1): KubeObject {
  const metadata = { name: 'rook-deps-controller', namespace: 'n', generation };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 2 }, status };
}

function pod(status: object): KubeObject {
  const labels = { 'app.kubernetes.io/name': 'rook-deps', 'app.kubernetes.io/component': 'controller' };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n', labels }, status };
}

const DONE = { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };

test.for([
  { name: 'all new replicas are available', status: DONE, lack: undefined },
  { name: 'the change is not seen yet', status: DONE, generation: 2, lack: 'not begun' },
  {
    name: 'one is missing',
    status: { ...DONE, availableReplicas: 1 },
    lack: '1 of 2 updated replicas are available',
  },
  {
    name: 'the available ones are old',
    status: { ...DONE, updatedReplicas: 0 },
    lack: '0 of 2 updated replicas are available',
  },
  {
    name: 'an old one is left',
    status: { ...DONE, replicas: 3, availableReplicas: 3 },
    lack: '1 old replicas are pending termination',
  },
])('when $name: $lack', ({ status, generation, lack }) => {
  expect(unfinished(deployment(status, generation))).toBe(lack);
});

test.for([
  {
    name: 'an image cannot be pulled',
    objects: [
      deployment({ observedGeneration: 1 }),
      pod({
        containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } }],
      }),
    ],
    lack: '0 of 2 updated replicas are available: ImagePullBackOff: no such image',
  },
  {
    name: 'no node is free',
    objects: [
      deployment({ observedGeneration: 1 }),
      pod({ conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }] }),
    ],
    lack: '0 of 2 updated replicas are available: 0/3 nodes are available',
  },
  {
    name: 'pods are refused',
    objects: [
      deployment({
        observedGeneration: 1,
        conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota' }],
      }),
    ],
    lack: '0 of 2 updated replicas are available: exceeded quota',
  },
  {
    name: 'a container is being made',
    objects: [
      deployment({ observedGeneration: 1 }),
      pod({ containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }] }),
    ],
    lack: '0 of 2 updated replicas are available',
  },
  { name: 'there is no Deployment', objects: [], lack: 'there is none' },
])('says so when $name', async ({ objects, lack }) => {
  expect(await rolloutLack(fakeReader(objects), 'n', signal)).toBe(lack);
});
