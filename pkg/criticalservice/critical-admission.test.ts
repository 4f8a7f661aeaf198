import { describe, expect, test } from 'vitest';
import type { AdmissionRequest, Answer } from '#pkg/admission';
import { ResourceTypes, type KubeObject } from '#pkg/object';
import { CriticalWorld, POOLS, PROVIDER, serviceObject } from '#test/fakes/critical-world.ts';
import { SIGNAL } from '#test/fakes/usage-world.ts';
import { criticalServiceAdmission } from './critical-admission.ts';

interface Circumstances {
  readonly world?: CriticalWorld;
  readonly oldObject?: KubeObject;
  readonly may?: boolean;
  readonly mayWe?: boolean;
}

async function ask(object: KubeObject, circumstances: Circumstances = {}): Promise<Answer> {
  const { world = new CriticalWorld(), oldObject, may = true, mayWe = true } = circumstances;
  const handler = criticalServiceAdmission({
    types: world.ports.types,
    allServices: world.ports.allServices,
    mayDelete: async () => may,
    mayWeDelete: async () => mayWe,
  });
  const request: AdmissionRequest = {
    uid: 'review',
    operation: oldObject ? 'UPDATE' : 'CREATE',
    kind: { group: 'rook-deps.io', version: 'v1alpha1', kind: 'CriticalService' },
    resource: { group: 'rook-deps.io', version: 'v1alpha1', resource: 'criticalservices' },
    userInfo: { username: 'ada', groups: [], extra: {} },
    dryRun: false,
    options: {},
    object,
    ...(oldObject ? { oldObject } : {}),
  };
  return handler(request, SIGNAL);
}

/** With the kind of definitions. */
function definingWorld(): CriticalWorld {
  const world = new CriticalWorld();
  const type = {
    group: 'apiextensions.k8s.io',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    singular: 'customresourcedefinition',
    version: 'v1',
    shortNames: [],
    namespaced: false,
  };
  world.cluster.types = new ResourceTypes([...world.cluster.types.all(), type]);
  return world;
}

const specific = (specificResource: object): object => ({ type: 'SpecificResource', specificResource });

describe('a service is let in', () => {
  test('when it can work and its maker could delete the provider', async () => {
    expect(await ask(serviceObject())).toEqual({ kind: 'allow', warnings: [] });
    expect((await ask(serviceObject(), { may: false })).kind).toBe('forbidden');
  });

  test('with hints on kinds that are taken for resources and resources that are not there', async () => {
    const criteria = [
      { type: 'Finalizer', finalizer: { ...POOLS.finalizer, resource: 'CephBlockPool' } },
      { type: 'Finalizer', finalizer: { group: 'a.example', resource: 'things', finalizerName: 'f' } },
    ];
    expect(await ask(serviceObject({ criteria }))).toEqual({
      kind: 'allow',
      warnings: [
        'spec.criteria[0]: "CephBlockPool" is taken for the resource "cephblockpools"',
        'spec.criteria[1]: the server has no things.a.example at present: until it does, nothing is waited for',
      ],
    });
  });

  test('with a hint when we lack the right to carry out what is refused', async () => {
    const answer = await ask(serviceObject({ replayDeletion: true }), { mayWe: false });
    expect(answer).toMatchObject({
      kind: 'allow',
      warnings: [expect.stringContaining('--grant deployments.apps,namespaces')],
    });
  });

  test('without a question when its spec stays, or when all that is left is to let go', async () => {
    const oldObject = serviceObject();
    const finalized = serviceObject({}, { finalizers: ['x'] });
    expect(await ask(finalized, { oldObject, may: false })).toEqual({ kind: 'allow' });
    const gone = { provider: { ...PROVIDER, group: 'gone.example', resource: 'things' } };
    const orphaned = serviceObject({ ...gone, deletionPolicy: 'Orphan' });
    expect(await ask(orphaned, { oldObject: serviceObject(gone), may: false })).toEqual({ kind: 'allow' });
    expect((await ask(serviceObject({ deletionPolicy: 'Orphan' }), { oldObject, may: false })).kind).toBe(
      'forbidden',
    );
  });
});

describe('a service is not let in', () => {
  test('changed, while the kind of its provider cannot be looked for', async () => {
    const spec = { provider: { ...PROVIDER, group: 'down.example', resource: 'things' } };
    const world = new CriticalWorld();
    const failures = new Map([['down.example', 'the server is currently unable to handle the request']]);
    world.cluster.types = new ResourceTypes(world.cluster.types.all(), { failures, assumed: [] });
    const changed = serviceObject({ ...spec, deletionPolicy: 'Orphan' });
    expect(await ask(changed, { world, oldObject: serviceObject(spec), may: false })).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('currently unable'),
    });
  });

  test.for([
    { name: 'whose provider does not exist', spec: { provider: { ...PROVIDER, resource: 'deploymints' } } },
    { name: 'whose provider has a short name', spec: { provider: { ...PROVIDER, resource: 'deploy' } } },
    { name: 'whose provider lacks its namespace', spec: { provider: { ...PROVIDER, namespace: undefined } } },
    {
      name: 'whose provider has a namespace too many',
      spec: { provider: { resource: 'namespaces', name: 'a', namespace: 'b' } },
    },
    {
      name: 'whose provider is a critical service',
      spec: { provider: { group: 'rook-deps.io', resource: 'criticalservices', name: 'a' } },
    },
    {
      name: 'whose criterion lacks a namespace',
      spec: { criteria: [specific({ resource: 'pods', name: 'p' })] },
    },
    { name: 'that waits for its provider', spec: { criteria: [specific(PROVIDER)] } },
    {
      name: 'that waits for the namespace of its provider',
      spec: { criteria: [specific({ resource: 'namespaces', name: 'here' })] },
    },
    {
      name: 'that waits for itself',
      spec: {
        criteria: [specific({ group: 'rook-deps.io', resource: 'criticalservices', name: 'service' })],
      },
    },
    {
      name: 'that waits for its own finalizer',
      spec: {
        criteria: [
          {
            type: 'Finalizer',
            finalizer: {
              group: 'rook-deps.io',
              resource: 'criticalservices',
              finalizerName: 'rook-deps.io/critical-service',
            },
          },
        ],
      },
    },
    {
      name: 'that waits for its own definition',
      spec: {
        criteria: [
          specific({
            group: 'apiextensions.k8s.io',
            resource: 'customresourcedefinitions',
            name: 'criticalservices.rook-deps.io',
          }),
        ],
      },
    },
  ])('$name', async ({ spec }) => {
    expect((await ask(serviceObject(spec), { world: definingWorld() })).kind).toBe('invalid');
  });

  test.for([
    ['', 'Endpoints', 'endpoints', true],
    ['discovery.k8s.io', 'EndpointSlice', 'endpointslices', true],
    ['admissionregistration.k8s.io', 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies', false],
    ['admissionregistration.k8s.io', 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', false],
  ] as const)('whose provider nobody asks us about: %s/%s', async ([group, kind, plural, namespaced]) => {
    const world = new CriticalWorld();
    const type = {
      group,
      kind,
      plural,
      namespaced,
      version: 'v1',
      singular: kind.toLowerCase(),
      shortNames: [],
    };
    world.cluster.types = new ResourceTypes([...world.cluster.types.all(), type]);
    const provider = { group, resource: plural, name: 'a', ...(namespaced ? { namespace: 'here' } : {}) };
    expect(await ask(serviceObject({ provider }), { world })).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('is not submitted to our webhook'),
    });
  });

  test('that would wait in a circle with another', async () => {
    const second = { ...PROVIDER, name: 'second' };
    const other = serviceObject({ provider: second, criteria: [specific(PROVIDER)] }, { name: 'other' });
    const answer = await ask(serviceObject({ criteria: [specific(second)] }), {
      world: new CriticalWorld(other),
    });
    expect(answer).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('Deployment/server → Deployment/second → Deployment/server'),
    });
  });
});
