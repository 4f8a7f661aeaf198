import { expect, test } from 'vitest';
import { Kinds, type KubeObject } from '#pkg/object';
import { fakeReader, type Refusal } from '#test/fakes/reader.ts';
import { anObject } from '#test/fixtures/objects.ts';
import { findCephRights } from './ceph-rights.ts';
import { MANAGED_BY } from './names.ts';
import type { ChosenOptions } from './render.ts';

const { signal } = new AbortController();

const home = (name: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, ...more },
});
const pod = (app: string, namespace: string, container = app): KubeObject =>
  anObject(Kinds.Pod, app, {
    namespace,
    labels: { app },
    spec: { serviceAccountName: 'rook-ceph-system', containers: [{ name: container }] },
  });
const operator = (namespace: string): KubeObject => pod('rook-ceph-operator', namespace);
const cluster = (namespace: string): KubeObject => anObject(Kinds.CephCluster, 'ceph', { namespace });
const bound = (namespace: string, labels: Record<string, string> = MANAGED_BY): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'rook-deps-ceph', namespace, labels },
});

interface World {
  readonly chosen?: ChosenOptions;
  readonly isNamed?: boolean;
  readonly refusals?: readonly Refusal[];
  /** What comes of asking what an account may do. */
  readonly review?: (user: string) => boolean | Error;
}

async function found(
  objects: readonly KubeObject[],
  { chosen = {}, isNamed = false, refusals = [], review = () => true }: World = {},
): Promise<{ readonly namespaces: readonly string[]; readonly said: readonly string[] }> {
  const said: string[] = [];
  const namespaces = await findCephRights(
    { namespace: 'rook-deps-system', chosen, isNamed },
    {
      reader: fakeReader(objects, refusals),
      writer: {
        createReview: ({ spec }) => {
          const answer = review(String((spec as Record<string, unknown>)['user']));
          return answer instanceof Error
            ? Promise.reject(answer)
            : Promise.resolve({ status: { allowed: answer } });
        },
      },
      say: (text) => void said.push(text),
    },
    signal,
  );
  return { namespaces, said };
}

test('Ceph is asked where operators are, wherever that is', async () => {
  const objects = [home('b'), home('a'), operator('b'), operator('a'), cluster('c'), home('c')];
  expect(await found(objects)).toEqual({ namespaces: ['a', 'b'], said: [] });
});

test('a toolbox counts beside a CephCluster only, and so does a manager that runs programs for Rook', async () => {
  const apps = [pod('rook-ceph-tools', 'a'), pod('rook-ceph-tools', 'b'), pod('rook-ceph-mgr', 'c')];
  const proxied = pod('rook-ceph-mgr', 'd', 'cmd-proxy');
  const homes = ['a', 'b', 'c', 'd'].map((name) => home(name));
  const objects = [...homes, ...apps, proxied, cluster('a'), cluster('c'), cluster('d')];
  expect((await found(objects)).namespaces).toEqual(['a', 'd']);
});

test('a pod that only looks like an operator is not believed, and told', async () => {
  const asked: string[] = [];
  const review = (user: string): boolean => {
    asked.push(user);
    return user.includes(':rook:');
  };
  const objects = [home('rook'), home('tenant'), operator('rook'), operator('tenant')];
  const { namespaces, said } = await found(objects, { review });
  expect(namespaces).toEqual(['rook']);
  expect(asked).toContain('system:serviceaccount:tenant:rook-ceph-system');
  expect(said).toEqual([expect.stringMatching(/^pod tenant\/.*: if it is, add --ceph-namespace tenant$/)]);
});

test('who may not ask about an operator names its namespace, and nobody is asked about it then', async () => {
  const objects = [home('rook'), operator('rook')];
  const review = (): Error => Object.assign(new Error('forbidden'), { status: 403 });
  expect((await found(objects, { review })).namespaces).toEqual([]);
  expect(await found(objects, { review, chosen: { cephNamespaces: ['rook'] } })).toEqual({
    namespaces: ['rook'],
    said: [],
  });
});

test('what failed otherwise is no answer', async () => {
  const review = (): Error => new Error('the server is away');
  await expect(found([home('rook'), operator('rook')], { review })).rejects.toThrow('the server is away');
});

test('what an earlier run has bound is kept while the operator is away, until namespaces are named anew', async () => {
  const objects = [home('old'), home('new'), home('theirs'), bound('old'), bound('theirs', {})];
  expect(await found(objects)).toEqual({ namespaces: ['old'], said: [] });
  const again = { chosen: { cephNamespaces: ['new'] }, isNamed: true };
  expect((await found(objects, again)).namespaces).toEqual(['new']);
});

test('nothing is wanted where Ceph is not asked', async () => {
  const chosen = { ceph: 'off', cephNamespaces: ['rook'] };
  const objects = [home('rook'), operator('rook'), bound('rook')];
  expect(await found(objects, { chosen })).toEqual({ namespaces: [], said: [] });
});

test('without Rook, it is said what to do once it is there', async () => {
  const { namespaces, said } = await found([]);
  expect({ namespaces, said }).toEqual({
    namespaces: [],
    said: [expect.stringMatching(/^Rook was not found: .*run 'kubectl rook-deps install' again/)],
  });
});

test('a namespace that is not there yet, or is going, waits for a later run', async () => {
  const going = home('going', { deletionTimestamp: '2026-11-18T00:00:00Z' });
  const chosen = { cephNamespaces: ['soon', 'here', 'rook-deps-system'] };
  const { namespaces, said } = await found([home('here'), going, operator('going')], { chosen });
  expect(namespaces).toEqual(['here', 'rook-deps-system']);
  expect(said).toEqual([expect.stringMatching(/^there is no namespace "soon" yet: /)]);
});

test('what could not be looked at is said, with the way out', async () => {
  const refusals = [{ kind: Kinds.Pod, reason: 'forbidden: not you' }];
  const { said } = await found([], { refusals });
  expect(said[0]).toBe(
    'cannot see where Rook is (Pod: forbidden: not you): name its namespaces with --ceph-namespace',
  );
});
