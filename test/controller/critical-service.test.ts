import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { fieldAt, listAt, textAt, type KubeObject } from '#pkg/object';
import type { Reply, Target } from './client.ts';
import { criticalService, deployment, goneFirst, noFinalizer, providerOf } from './critical-objects.ts';
import { configMap, gadget, named, namespace, usage, widget } from './objects.ts';
import { Scene } from './scene.ts';

const SERVED = 'example.com/served';
const WAIT = { timeout: 40_000, interval: 100 };
const LABEL = 'rook-deps.io/critical';

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.open();
}, 180_000);

afterAll(() => scene?.close());

interface Cast {
  readonly provider: Target;
  readonly service: Target;
  readonly served: Target;
}

/** A Deployment that serves the finalizer of a widget elsewhere. */
async function cast(name: string, more: object = {}): Promise<Cast> {
  const ns = await scene.namespace(name);
  const other = await scene.namespace(`${name}-served`);
  const provider = deployment(ns, 'server');
  const finalizer = `${SERVED}-${name}`;
  const served = withFinalizer(widget(other, 'served'), finalizer);
  const criteria = [noFinalizer('widgets', finalizer)];
  const service = criticalService(name, { provider: providerOf(provider), criteria, ...more });
  await scene.make(provider, served, service);
  await untilCondition(service, 'Ready', 'True');
  await untilCondition(service, 'Satisfied', 'False');
  return { provider, service, served };
}

function withFinalizer(target: Target, finalizer: string): Target {
  return { ...target, metadata: { ...target.metadata, finalizers: [finalizer] } } as Target;
}

function conditionOf(object: KubeObject | undefined, type: string): unknown {
  return listAt(object, 'status', 'conditions').find((condition) => textAt(condition, 'type') === type);
}

async function untilCondition(
  service: Target,
  type: string,
  status: string,
  reason?: string,
): Promise<KubeObject> {
  return vi.waitFor(async () => {
    const object = await scene.client.read(service);
    const condition = conditionOf(object, type);
    expect(textAt(condition, 'status')).toBe(status);
    if (reason) expect(textAt(condition, 'reason')).toBe(reason);
    return object as KubeObject;
  }, WAIT);
}

async function finish({ served }: Cast): Promise<void> {
  await scene.client.patch(served, { metadata: { finalizers: null } });
}

function expectRefused({ status, message }: Reply, words: string): void {
  expect(message).toContain(words);
  expect(message).toMatch(/^admission webhook "[a-z-]+\.rook-deps\.io" denied the request: /);
  expect(status).toBe(409);
}

async function isLabelled(target: Target): Promise<boolean> {
  return (await scene.client.read(target))?.metadata.labels?.[LABEL] === 'true';
}

/** How many reviews of a kind the webhook has answered. */
async function decisions(kind: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${scene.replica.healthPort}/metrics`);
  const counts = (await answer.text()).matchAll(/^rook_deps_decisions_total\{(.*)\} (\d+)$/gm);
  return [...counts]
    .filter(([, labels]) => labels?.includes(`kind="${kind}"`))
    .reduce((sum, [, , count]) => sum + Number(count), 0);
}

describe('a critical service', () => {
  test('keeps its provider and the namespace of it until its criteria are met, and itself until the provider is gone', async () => {
    const all = await cast('rules');
    const { provider, service } = all;
    const blocker = '1 widgets.test.example.com with finalizer example.com/served-rules: rules-served/served';
    expectRefused(await scene.client.delete(provider), blocker);
    expectRefused(await scene.client.delete(namespace('rules')), blocker);
    expectRefused(await scene.client.delete(service), 'deployments.apps rules/server still exists');
    await finish(all);
    await scene.untilDeleted(provider);
    await scene.untilGone(provider);
    await scene.untilDeleted(service);
    await scene.untilGone(service);
    await scene.untilDeleted(namespace('rules'));
  });

  test('keeps the definition of its kind', async () => {
    const { service } = await cast('defined');
    const definition: Target = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'criticalservices.rook-deps.io' },
    };
    const { status, message } = await scene.client.delete(definition);
    expect(message).toContain(`- CriticalService ${service.metadata.name}`);
    expect(status).toBe(409);
  });

  test('marks its provider and the namespace, and nothing else; the marks go with it', async () => {
    const all = await cast('marks');
    expect(await isLabelled(all.provider)).toBe(true);
    expect(await isLabelled(namespace('marks'))).toBe(true);
    expect(await isLabelled(namespace('marks-served'))).toBe(false);
    expect(await isLabelled(all.served)).toBe(false);
    await scene.client.patch(all.service, { spec: { deletionPolicy: 'Orphan' } });
    expect((await scene.client.delete(all.service)).status).toBe(200);
    await scene.untilGone(all.service);
    expect(await isLabelled(all.provider)).toBe(false);
    expect(await isLabelled(namespace('marks'))).toBe(false);
    expect((await scene.client.delete(all.provider)).status).toBe(200);
  });

  test('waits for a specific object until it is gone, not until it is being deleted', async () => {
    const ns = await scene.namespace('specific');
    const provider = deployment(ns, 'server');
    const awaited = withFinalizer(gadget('specific'), 'example.com/held');
    const criteria = [goneFirst(awaited, 'test.example.com', 'gadgets')];
    const service = criticalService('specific', { provider: providerOf(provider), criteria });
    await scene.make(provider, awaited, service);
    await untilCondition(service, 'Satisfied', 'False');
    expectRefused(await scene.client.delete(provider), 'gadgets.test.example.com specific still exists');
    await scene.client.delete(awaited);
    await untilCondition(service, 'Satisfied', 'False');
    expectRefused(await scene.client.delete(provider), 'still exists');
    await scene.client.patch(awaited, { metadata: { finalizers: null } });
    await scene.untilDeleted(provider);
  });

  test('says who was refused what and when, and what is in the way', async () => {
    const { provider, service } = await cast('told');
    await scene.client.delete(provider);
    const status = fieldAt(await scene.client.read(service), 'status');
    expect(status).toMatchObject({
      details: 'deployments.apps told/server',
      provider: { kind: 'Deployment', uid: (await scene.client.read(provider))?.metadata.uid },
      criteria: [{ satisfied: 'False', count: 1, examples: ['told-served/served'] }],
      lastRefusal: { user: 'admin', object: 'Deployment told/server' },
    });
    expect(Date.parse(textAt(status, 'lastRefusal', 'time') ?? '')).toBeGreaterThan(Date.now() - 60_000);
    // Without replayDeletion nothing is kept that could be carried out.
    expect(listAt(status, 'attempts')).toEqual([]);
  });

  test('writes nothing for a dry run', async () => {
    const { provider, service } = await cast('dry');
    const before = await scene.client.read(service);
    expectRefused(await scene.client.delete(provider, { query: 'dryRun=All' }), 'is critical');
    expect(await scene.client.read(service)).toEqual(before);
  });

  test('adopts a provider that is made anew, visibly', async () => {
    const all = await cast('adopted');
    const before = (await scene.client.read(all.provider))?.metadata.uid;
    await scene.force(all.provider);
    await untilCondition(all.service, 'Ready', 'False', 'ProviderNotFound');
    await scene.make(all.provider);
    const { uid } = (await scene.client.read(all.provider))?.metadata ?? {};
    const status = fieldAt(await untilCondition(all.service, 'Ready', 'True'), 'status');
    expect(uid).not.toBe(before);
    expect(fieldAt(status, 'provider')).toEqual({ kind: 'Deployment', uid, adoptedFrom: before });
    const told = await scene.install.kubectl([
      'get',
      'events',
      '-A',
      '--field-selector=reason=ProviderAdopted,involvedObject.name=adopted',
      '-o',
      'jsonpath={.items[*].message}',
    ]);
    expect(told.stdout).toContain(
      `deployments.apps adopted/server was made anew (UID ${before}, now ${uid})`,
    );
    expectRefused(await scene.client.delete(all.provider), 'is critical');
  });

  test('asks once about an object that is also in use, and heeds the veto of the usage', async () => {
    const all = await cast('both', { replayDeletion: true });
    const held = usage('both', 'held', { of: named(all.provider), reason: 'needed' });
    await scene.make(held);
    await scene.untilReady(held);
    const before = await decisions('Deployment');
    const { message } = await scene.client.delete(all.provider);
    expect(message).toContain('is critical');
    expect(message).toContain('is in use by 1 usage');
    expect(await decisions('Deployment')).toBe(before + 1);
    const attempts = listAt(await scene.client.read(all.service), 'status', 'attempts');
    expect(attempts).toMatchObject([{ vetoed: true }]);
  });

  test.for([
    { kind: 'StatefulSet', resource: 'statefulsets', spec: { serviceName: 's' } },
    { kind: 'DaemonSet', resource: 'daemonsets', spec: { replicas: undefined } },
  ])('keeps a $kind as it keeps a Deployment', async ({ kind, resource, spec }) => {
    const ns = await scene.namespace(resource);
    const plain = deployment(ns, 'server') as Target & { readonly spec: object };
    const provider = { ...plain, kind, spec: { ...plain.spec, ...spec } };
    const served = withFinalizer(widget(ns, 'served'), `${SERVED}-${resource}`);
    const criteria = [noFinalizer('widgets', `${SERVED}-${resource}`)];
    const service = criticalService(resource, { provider: { ...providerOf(provider), resource }, criteria });
    await scene.make(provider, served, service);
    await untilCondition(service, 'Ready', 'True');
    expectRefused(await scene.client.delete(provider), `${kind} "server" is critical`);
    await scene.client.patch(served, { metadata: { finalizers: null } });
    await scene.untilDeleted(provider);
  });

  test('keeps an object of any other kind that the controller may read, and has it asked about nothing else', async () => {
    const provider = gadget('critical');
    const awaited = gadget('awaited');
    const criteria = [goneFirst(awaited, 'test.example.com', 'gadgets')];
    const named = { group: 'test.example.com', resource: 'gadgets', name: 'critical' };
    await scene.make(provider, awaited, gadget('unrelated'));
    await scene.make(criticalService('any', { provider: named, criteria }));
    await untilCondition(criticalService('any', { provider: named, criteria }), 'Ready', 'True');
    const before = await decisions('Gadget');
    expect((await scene.client.delete(gadget('unrelated'))).status).toBe(200);
    expect((await scene.client.delete(awaited, { query: 'dryRun=All' })).status).toBe(200);
    expect(await decisions('Gadget')).toBe(before);
    expectRefused(await scene.client.delete(provider), 'gadgets.test.example.com awaited still exists');
    expect(await decisions('Gadget')).toBe(before + 1);
  });

  test('counts a kind that is gone as met', async () => {
    const ns = await scene.namespace('gone');
    const provider = deployment(ns, 'server');
    const criteria = [noFinalizer('nevers', 'example.com/x')];
    const service = criticalService('gone', { provider: providerOf(provider), criteria });
    await scene.make(provider, service);
    await untilCondition(service, 'Satisfied', 'True');
    expect((await scene.client.delete(provider)).status).toBe(200);
  });
});

describe('what cannot be checked', () => {
  /** The controller may not read Secrets. */
  async function unreadable(
    name: string,
    deletionPolicy: string,
  ): Promise<{ provider: Target; service: Target }> {
    const ns = await scene.namespace(name);
    const provider = deployment(ns, 'server');
    const criteria = [noFinalizer('secrets', 'example.com/x', '')];
    const service = criticalService(name, { provider: providerOf(provider), criteria, deletionPolicy });
    await scene.make(provider, service);
    await untilCondition(service, 'Ready', 'True');
    await untilCondition(service, 'Satisfied', 'Unknown', 'NotChecked');
    return { provider, service };
  }

  test('holds a provider, and the condition says which right is missing', async () => {
    const { provider, service } = await unreadable('unseen', 'Strict');
    // At first it is only not listed yet.
    await vi.waitFor(async () => {
      const condition = conditionOf(await scene.client.read(service), 'Satisfied');
      expect(textAt(condition, 'message')).toContain('kubectl rook-deps install --grant secrets');
    }, WAIT);
    const { status, message } = await scene.client.delete(provider);
    expect(status).toBe(503);
    expect(message).toContain('not everything it waits for could be checked');
  });

  test('holds nothing with BestEffort', async () => {
    const { provider } = await unreadable('unseen-best', 'BestEffort');
    expect((await scene.client.delete(provider)).status).toBe(200);
  });
});

describe('the deletion of a critical service', () => {
  test('with BestEffort is refused while its criteria are not met, and passes when they are', async () => {
    const all = await cast('best', { deletionPolicy: 'BestEffort' });
    expectRefused(await scene.client.delete(all.service), 'and its criteria are not met');
    await finish(all);
    await scene.untilDeleted(all.service);
    await scene.untilGone(all.service);
    expect(await isLabelled(all.provider)).toBe(false);
  });

  test('that got past a missing webhook waits, and the policy can still be changed', async () => {
    const all = await cast('past');
    await scene.install.kubectl(['delete', 'validatingwebhookconfiguration', 'rook-deps']);
    try {
      expect((await scene.client.delete(all.service)).status).toBe(200);
    } finally {
      await scene.install.route(scene.replica);
    }
    await untilCondition(all.service, 'Ready', 'False', 'WaitingForProvider');
    expectRefused(await scene.client.delete(all.provider), 'is critical');
    await scene.client.patch(all.service, { spec: { deletionPolicy: 'Orphan' } });
    await scene.untilGone(all.service);
    expect((await scene.client.delete(all.provider)).status).toBe(200);
  });
});

describe('a critical service that cannot work is refused', () => {
  const provider = { group: 'apps', resource: 'deployments', namespace: 'default', name: 'd' };
  const criteria = [noFinalizer('widgets', 'example.com/x')];
  const wrong: readonly { name: string; spec: object; words: string; status?: number }[] = [
    {
      name: 'with a resource that does not exist',
      spec: { provider: { ...provider, resource: 'deploymints' }, criteria },
      words: `the server doesn't have a resource "deploymints" in group "apps"`,
    },
    {
      name: 'with a resource of another group',
      spec: { provider: { ...provider, group: 'app' }, criteria },
      words: 'did you mean group "apps", resource "deployments"?',
    },
    {
      name: 'with a short name',
      spec: { provider: { ...provider, resource: 'deploy' }, criteria },
      words: 'did you mean group "apps", resource "deployments"?',
    },
    {
      name: 'without a namespace',
      spec: { provider: { group: 'apps', resource: 'deployments', name: 'd' }, criteria },
      words: 'deployments are namespaced: say in which namespace it is',
    },
    {
      name: 'without criteria',
      spec: { provider, criteria: [] },
      words: 'spec.criteria in body should have at least 1 items',
    },
    {
      name: 'with a criterion of two types',
      spec: {
        provider,
        criteria: [{ ...criteria[0], specificResource: { resource: 'pods', name: 'p', namespace: 'n' } }],
      },
      words: '"specificResource" must be specified for the type SpecificResource, and for no other.',
    },
    {
      name: 'that waits for its own provider',
      spec: { provider, criteria: [{ type: 'SpecificResource', specificResource: provider }] },
      words: 'these would wait for each other in a circle',
    },
    {
      name: 'that waits for the namespace of its provider',
      spec: {
        provider,
        criteria: [
          { type: 'SpecificResource', specificResource: { resource: 'namespaces', name: 'default' } },
        ],
      },
      words: 'Deployment/d → Namespace/default',
    },
    {
      name: 'that waits for its own definition',
      spec: {
        provider,
        criteria: [
          {
            type: 'SpecificResource',
            specificResource: {
              group: 'apiextensions.k8s.io',
              resource: 'customresourcedefinitions',
              name: 'criticalservices.rook-deps.io',
            },
          },
        ],
      },
      words: 'these would wait for each other in a circle',
    },
    ...['validatingadmissionpolicies', 'mutatingwebhookconfigurations'].map((resource) => ({
      name: `with ${resource}, about which no webhook is asked`,
      spec: { provider: { group: 'admissionregistration.k8s.io', resource, name: 'd' }, criteria },
      words: `the deletion of ${resource}.admissionregistration.k8s.io is not submitted to our webhook`,
    })),
    {
      name: 'with EndpointSlices, about which ours is not asked',
      spec: { provider: { ...provider, group: 'discovery.k8s.io', resource: 'endpointslices' }, criteria },
      words: 'the deletion of endpointslices.discovery.k8s.io is not submitted to our webhook',
    },
  ];

  test.for(wrong)('$name', async ({ spec, words }) => {
    const { status, message } = await scene.client.create(criticalService('wrong', spec as never));
    expect(message).toContain(words);
    expect(status).toBe(422);
  });

  test('by somebody who could not delete the provider', async () => {
    await scene.install.kubectl([
      'create',
      'clusterrole',
      'makers',
      '--verb=create',
      '--resource=criticalservices.rook-deps.io',
    ]);
    await scene.install.kubectl([
      'create',
      'clusterrolebinding',
      'makers',
      '--clusterrole=makers',
      '--user=mallory',
    ]);
    const { status, message } = await scene.client.create(
      criticalService('mallory', { provider, criteria }),
      {
        as: 'mallory',
      },
    );
    expect(message).toContain('user "mallory" cannot delete deployments.apps default/d');
    expect(status).toBe(403);
  });

  test('but kinds are taken for resources, with a hint', async () => {
    const object = criticalService('kinds', { provider: { ...provider, resource: 'Deployment' }, criteria });
    const { code, stderr } = await scene.install.kubectl(['create', '--dry-run=server', '-f', '-'], {
      stdin: JSON.stringify(object),
    });
    expect(stderr).toContain('Warning: spec.provider: "Deployment" is taken for the resource "deployments"');
    expect(code).toBe(0);
  });
});

describe('rights', () => {
  test('the controller changes nothing of a Deployment but its labels, unless more was granted', async () => {
    const provider = deployment(await scene.namespace('rights'), 'server');
    await scene.make(provider);
    const as = 'system:serviceaccount:rook-deps-system:rook-deps-controller';
    const scaled = await scene.client.patch(provider, { spec: { replicas: 1 } }, { as });
    expect(scaled.message).toContain('rook-deps changes nothing but labels');
    expect((await scene.client.delete(provider, { as })).status).toBe(403);
    const labels = { 'rook-deps.io/critical': 'true' };
    expect((await scene.client.patch(provider, { metadata: { labels } }, { as })).status).toBe(200);
    await scene.client.patch(provider, { metadata: { labels: { 'rook-deps.io/critical': null } } }, { as });
  });
});

test('what a watch has not told yet is looked for before a deletion is allowed', async () => {
  const all = await cast('late');
  const { provider, served, service } = all;
  await finish(all);
  await untilCondition(service, 'Satisfied', 'True');
  await scene.killController();
  await scene.startController(['--watch-delay-ms', '3000']);
  try {
    expect((await scene.client.delete(provider, { query: 'dryRun=All' })).status).toBe(200);
    await scene.client.delete(served);
    await scene.make({ ...served, metadata: { ...served.metadata, name: 'late' } });
    expectRefused(await scene.client.delete(provider), 'late-served/late');
  } finally {
    await scene.killController();
    await scene.startController();
  }
});

test('a crash loses nothing: what was refused before is carried out after', async () => {
  await scene.install.grant('deployments.apps', 'namespaces');
  const all = await cast('crash', { replayDeletion: true });
  expectRefused(await scene.client.delete(all.provider), 'is critical');
  await scene.killController();
  await finish(all);
  await scene.startController();
  await scene.untilGone(all.provider);
});

test('nobody has a deletion carried out that he may not make any more', async () => {
  const all = await cast('replay-rights', { replayDeletion: true });
  const { provider, service } = all;
  await scene.install.kubectl([
    'create',
    'clusterrole',
    'eraser',
    '--verb=delete',
    '--resource=deployments.apps',
  ]);
  await scene.install.kubectl([
    'create',
    'clusterrolebinding',
    'eraser',
    '--clusterrole=eraser',
    '--user=eve',
  ]);
  await vi.waitFor(
    async () => expectRefused(await scene.client.delete(provider, { as: 'eve' }), 'is critical'),
    WAIT,
  );
  await scene.install.kubectl(['delete', 'clusterrolebinding', 'eraser']);
  await vi.waitFor(async () => {
    expect((await scene.client.delete(provider, { as: 'eve', query: 'dryRun=All' })).status).toBe(403);
  }, WAIT);
  await finish(all);
  await untilCondition(service, 'Replayed', 'False', 'NotAllowed');
  expect(await scene.client.read(provider)).toBeDefined();
});

test('a replay waits for whoever else objects', async () => {
  const all = await cast('replay-others', { replayDeletion: true });
  const { provider, service } = all;
  expectRefused(await scene.client.delete(provider), 'is critical');
  const held = usage('replay-others', 'held', { of: named(provider), reason: 'needed' });
  await scene.make(held);
  await scene.untilReady(held);
  await finish(all);
  await untilCondition(service, 'Replayed', 'False', 'Refused');
  expect(await scene.client.read(provider)).toBeDefined();
  await scene.client.delete(held);
  await scene.untilGone(provider);
});

test('nothing is replayed against the veto of another protection that refused it, too', async () => {
  const all = await cast('veto', { replayDeletion: true });
  const { provider, service, served } = all;
  const criteria = [goneFirst(served, 'test.example.com', 'widgets')];
  const unwilling = criticalService('veto-unwilling', { provider: providerOf(provider), criteria });
  await scene.make(unwilling);
  await untilCondition(unwilling, 'Satisfied', 'False');
  expectRefused(await scene.client.delete(provider), 'CriticalService "veto-unwilling"');
  const attempts = listAt(await scene.client.read(service), 'status', 'attempts');
  expect(attempts).toMatchObject([{ user: { username: 'admin' }, vetoed: true }]);
  await scene.client.delete(served);
  await finish(all);
  await untilCondition(service, 'Satisfied', 'True');
  await untilCondition(unwilling, 'Satisfied', 'True');
  expect((await scene.client.read(provider))?.metadata.deletionTimestamp).toBeUndefined();
  // Asked for again, with nothing in the way, it is done.
  await scene.untilDeleted(provider);
});

test('at rest nothing is written', async () => {
  const { service, provider } = await cast('rest');
  await scene.make(configMap('rest', 'noise'));
  const before = [await scene.client.read(service), await scene.client.read(provider)];
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect([await scene.client.read(service), await scene.client.read(provider)]).toEqual(before);
});
