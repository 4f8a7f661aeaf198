import { expect, test } from 'vitest';
import { cephBinding, type Installed } from '#pkg/install';
import { Kinds, type KubeObject } from '#pkg/object';
import { fakeReader, type Refusal } from '#test/fakes/reader.ts';
import { anObject } from '#test/fixtures/objects.ts';
import { cephRightsCheck } from './ceph-rights.ts';
import type { CheckPorts, Finding } from './check.ts';

const { signal } = new AbortController();
const CLUSTER = anObject(Kinds.CephCluster, 'ceph', { namespace: 'ceph' });

const pod = (app: string, namespace: string, container = app): KubeObject =>
  anObject(Kinds.Pod, app, { namespace, labels: { app }, spec: { containers: [{ name: container }] } });
const OPERATOR = pod('rook-ceph-operator', 'rook');
const MADE_BY_IT = anObject(Kinds.Deployment, 'rook-ceph-mon-a', {
  namespace: 'ceph',
  labels: { 'rook.io/operator-namespace': 'rook' },
});
const TOOLBOX = pod('rook-ceph-tools', 'ceph');

function installed(...args: readonly string[]): Installed {
  const spec = { template: { spec: { containers: [{ args: ['controller', ...args] }] } } };
  const deployment = anObject(Kinds.Deployment, 'rook-deps-controller', { namespace: 'rd', spec });
  return { namespace: 'rd', version: 'v', bundleHash: 'h', chosen: {}, deployment };
}

interface World {
  /** Namespaces in which the controller may run programs; undefined: the caller may not ask. */
  readonly may?: readonly string[] | undefined;
  readonly verbs?: readonly string[];
  readonly args?: readonly string[];
  readonly refusals?: readonly Refusal[];
}

function look(objects: readonly KubeObject[], world: World = {}): Promise<Finding> {
  const { verbs = ['get', 'create'], args = [], refusals = [] } = world;
  const createReview = ({ spec }: { readonly spec: unknown }): Promise<object> => {
    const { user, resourceAttributes } = spec as {
      readonly user: string;
      readonly resourceAttributes: Readonly<Record<string, string>>;
    };
    const { verb = '', namespace = '', resource, subresource, name } = resourceAttributes;
    if (world.may && resource === 'cephclusters')
      return Promise.resolve({ status: { allowed: user.startsWith('system:serviceaccount:rook:') } });
    if (!world.may) return Promise.reject(Object.assign(new Error('forbidden'), { status: 403 }));
    expect(user).toBe('system:serviceaccount:rd:rook-deps-controller');
    expect([
      ['pods', 'exec', undefined],
      ['secrets', undefined, 'rgw-admin-ops-user'],
    ]).toContainEqual([resource, subresource, name]);
    return Promise.resolve({ status: { allowed: world.may.includes(namespace) && verbs.includes(verb) } });
  };
  const ports = { reader: fakeReader(objects, refusals), writer: { createReview } } as unknown as CheckPorts;
  return cephRightsCheck(installed(...args), ports).look(signal);
}

const lacks = (where: string): object => ({
  result: 'warn',
  detail: `ceph/ceph: it lacks pods/exec in namespace ${where}`,
  hint: 'run: kubectl rook-deps install',
});

test.for([
  { args: [], detail: '--ceph=require' },
  { args: ['--ceph=prefer'], detail: '--ceph=prefer' },
])('the controller that may ask the operator is well: $detail', async ({ args, detail }) => {
  expect(await look([CLUSTER, OPERATOR], { args, may: ['rook'] })).toEqual({ result: 'ok', detail });
});

test('the keys of external object stores are to be had where these are', async () => {
  const gateway = { externalRgwEndpoints: [{ ip: '10.0.0.1' }] };
  const store = anObject(Kinds.CephObjectStore, 's', { namespace: 'far', spec: { gateway } });
  const own = anObject(Kinds.CephObjectStore, 'own', { namespace: 'ceph', spec: { gateway: {} } });
  expect(await look([CLUSTER, OPERATOR, own, store], { may: ['rook'] })).toEqual({
    result: 'warn',
    detail: 'far/s: it may not get Secret rgw-admin-ops-user',
    hint: 'run: kubectl rook-deps install --ceph-namespace far',
  });
  expect(await look([CLUSTER, OPERATOR, own, store], { may: ['rook', 'far'] })).toMatchObject({
    result: 'ok',
  });
});

test('any of the places will do', async () => {
  expect(await look([CLUSTER, OPERATOR, TOOLBOX], { may: ['ceph'] })).toMatchObject({ result: 'ok' });
  expect(await look([CLUSTER, OPERATOR, TOOLBOX], { may: ['other'] })).toEqual(lacks('rook or ceph'));
});

test('where the manager has to be asked, another place is not enough', async () => {
  const objects = [CLUSTER, OPERATOR, pod('rook-ceph-mgr', 'ceph', 'cmd-proxy')];
  expect(await look(objects, { may: ['rook'] })).toEqual(lacks('ceph'));
  expect(await look(objects, { may: ['rook', 'ceph'] })).toMatchObject({ result: 'ok' });
});

test('one verb of two is not enough', async () => {
  expect(await look([CLUSTER, OPERATOR], { may: ['rook'], verbs: ['create'] })).toEqual(lacks('rook'));
});

test('who may not ask the server goes by the bindings', async () => {
  const binding = { ...cephBinding('rook', 'rd'), metadata: { name: 'rook-deps-ceph', namespace: 'rook' } };
  expect(await look([CLUSTER, OPERATOR, MADE_BY_IT, binding])).toMatchObject({ result: 'ok' });
  expect(await look([CLUSTER, OPERATOR, MADE_BY_IT])).toEqual(lacks('rook'));
  const ofOthers = { ...cephBinding('rook', 'elsewhere'), metadata: binding.metadata };
  expect(await look([CLUSTER, OPERATOR, MADE_BY_IT, ofOthers])).toEqual(lacks('rook'));
});

test('with --ceph=off it is not asked, and with no CephCluster there is nothing to ask', async () => {
  expect(await look([CLUSTER, OPERATOR], { args: ['--ceph=off'], may: [] })).toEqual({
    result: 'ok',
    detail: 'it is not asked: --ceph=off',
  });
  expect(await look([OPERATOR], { may: [] })).toEqual({
    result: 'ok',
    detail: '--ceph=require; there is no CephCluster',
  });
});

test('a cluster without a pod to ask in is told', async () => {
  expect(await look([CLUSTER], { may: [] })).toMatchObject({
    result: 'warn',
    detail: 'ceph/ceph: there is no pod to ask in',
  });
});

test.for([
  { name: 'may not change it', objects: [pod('rook-ceph-operator', 'tenant')], may: ['tenant'] },
  { name: 'nobody may ask about', objects: [pod('rook-ceph-operator', 'tenant')], may: undefined },
])('a pod that looks like its operator, and $name, is no pod to ask in', async ({ objects, may }) => {
  expect(await look([CLUSTER, ...objects], { may })).toMatchObject({
    result: 'warn',
    detail: expect.stringMatching(
      /^ceph\/ceph: pod tenant\/rook-ceph-operator looks like Rook's operator, but/,
    ),
  });
});

test.for([Kinds.CephCluster, Kinds.Pod])('who may not list $kind gets no ok', async (kind) => {
  const finding = await look([CLUSTER, OPERATOR], {
    may: ['rook'],
    refusals: [{ kind, reason: 'forbidden' }],
  });
  expect(finding).toMatchObject({ result: 'warn', detail: expect.stringContaining('not looked at') });
});
