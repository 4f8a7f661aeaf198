import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import {
  isAlreadyExists,
  isConflict,
  isForbidden,
  Kinds,
  KNOWN_TYPES,
  type KubeObject,
  type ResourceType,
  type Writer,
} from '#pkg/object';
import { kubeWriter } from './kube-writer.ts';
import { aTransport, sendJson, startFakeServer, type FakeServer } from './testing/fake-server.ts';
import { fixedTypes } from './testing/fixed-types.ts';

const signal = new AbortController().signal;
let server: FakeServer | undefined;

afterEach(() => server?.close());

interface Sent {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly type: string | undefined;
  readonly body: unknown;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

const CLUSTER_ROLE: ResourceType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  singular: 'clusterrole',
  shortNames: [],
  namespaced: false,
};
const REVIEW: ResourceType = {
  ...CLUSTER_ROLE,
  group: 'authorization.k8s.io',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
};

/** A writer whose server gives these replies in turn, the last one for ever. */
async function writing(...replies: Reply[]): Promise<{ writer: Writer; sent: Sent[]; waits: number[] }> {
  const sent: Sent[] = [];
  const waits: number[] = [];
  server = await startFakeServer((request, answer) => {
    void read(request).then((body) => {
      sent.push({ method: request.method, url: request.url, type: request.headers['content-type'], body });
      const reply = replies[Math.min(sent.length, replies.length) - 1];
      sendJson(answer, reply?.status ?? 200, reply?.body ?? {}, reply?.headers ?? {});
    });
  });
  const types = fixedTypes([...KNOWN_TYPES, CLUSTER_ROLE, REVIEW]);
  const sleep = async (ms: number): Promise<void> => void waits.push(ms);
  return { writer: kubeWriter(await aTransport(server.url), types, { sleep }), sent, waits };
}

async function read(request: IncomingMessage): Promise<unknown> {
  const body = await text(request);
  return body === '' ? undefined : JSON.parse(body);
}

const MAP: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace: 'ns' } };
const MAP_REF = { group: '', kind: 'ConfigMap', namespace: 'ns', name: 'm' };
const OK: Reply = { status: 200, body: MAP };

const refusal = (status: number, reason: string, more: object = {}): Reply => ({
  status,
  body: { kind: 'Status', code: status, reason, message: 'm', ...more },
});

describe('what is sent', () => {
  test('create posts the object to its namespace', async () => {
    const { writer, sent } = await writing({ status: 201, body: MAP });
    await expect(writer.create(MAP, { dryRun: true, fieldManager: 'f' }, signal)).resolves.toEqual(MAP);
    expect(sent).toEqual([
      {
        method: 'POST',
        url: '/api/v1/namespaces/ns/configmaps?fieldManager=f&dryRun=All',
        type: 'application/json',
        body: MAP,
      },
    ]);
  });

  test('apply keeps the case of names, and leaves out the namespace of a cluster-scoped kind', async () => {
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const role = { apiVersion, kind: 'ClusterRole', metadata: { name: 'system:Node/x' } };
    const { writer, sent } = await writing({ status: 200, body: role });
    await writer.apply(role, { fieldManager: 'f', force: true }, signal);
    expect(sent).toMatchObject([
      {
        method: 'PATCH',
        url: '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3ANode%2Fx?fieldManager=f&force=true',
        type: 'application/apply-patch+yaml',
      },
    ]);
  });

  test('an object is written in the version that it names', async () => {
    const pool = { apiVersion: 'ceph.rook.io/v1beta1', kind: 'CephBlockPool', metadata: MAP.metadata };
    const { writer, sent } = await writing({ status: 200, body: pool });
    await writer.create(pool, {}, signal);
    expect(sent[0]?.url).toBe('/apis/ceph.rook.io/v1beta1/namespaces/ns/cephblockpools');
  });

  test.for([
    { type: 'merge', body: { a: 1 }, header: 'application/merge-patch+json' },
    { type: 'json', body: [{ op: 'remove', path: '/a' }], header: 'application/json-patch+json' },
  ] as const)('a $type patch goes to the subresource', async ({ header, ...change }) => {
    const { writer, sent } = await writing(OK);
    await writer.patch(MAP_REF, { ...change, subresource: 'status' }, signal);
    expect(sent).toEqual([
      {
        method: 'PATCH',
        url: '/api/v1/namespaces/ns/configmaps/m/status',
        type: header,
        body: change.body,
      },
    ]);
  });

  test('delete sends preconditions and policy', async () => {
    const { writer, sent } = await writing({ status: 200, body: { kind: 'Status', status: 'Success' } });
    const options = {
      uid: 'u',
      resourceVersion: '5',
      propagationPolicy: 'Foreground',
      dryRun: true,
    } as const;
    await expect(writer.delete(MAP_REF, options, signal)).resolves.toBe('deleted');
    expect(sent[0]).toMatchObject({
      method: 'DELETE',
      body: {
        kind: 'DeleteOptions',
        preconditions: { uid: 'u', resourceVersion: '5' },
        propagationPolicy: 'Foreground',
        dryRun: ['All'],
      },
    });
  });

  test('delete without conditions sends none', async () => {
    const { writer, sent } = await writing(OK);
    await writer.delete(MAP_REF, {}, signal);
    expect(sent[0]?.body).toEqual({ apiVersion: 'v1', kind: 'DeleteOptions' });
  });

  test('a review comes back with its status, though it has no name', async () => {
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: 'u' },
    };
    const { writer, sent } = await writing({
      status: 201,
      body: { ...review, metadata: {}, status: { allowed: true } },
    });
    await expect(writer.createReview(review, signal)).resolves.toMatchObject({ status: { allowed: true } });
    expect(sent[0]?.url).toBe('/apis/authorization.k8s.io/v1/subjectaccessreviews');
  });
});

describe('what is absent', () => {
  test('patching and deleting it changes nothing and does not throw', async () => {
    const { writer } = await writing(refusal(404, 'NotFound', { details: { name: 'm' } }));
    await expect(writer.patch(MAP_REF, { type: 'merge', body: {} }, signal)).resolves.toBeUndefined();
    await expect(writer.delete(MAP_REF, {}, signal)).resolves.toBe('absent');
  });

  test('an object whose kind is not served at present is not', async () => {
    const { writer } = await writing({ status: 404, body: '404 page not found' });
    await expect(writer.patch(MAP_REF, { type: 'merge', body: {} }, signal)).rejects.toThrow(
      'could not find',
    );
    await expect(writer.delete(MAP_REF, {}, signal)).rejects.toThrow('could not find');
  });

  test('an unknown kind is absent for patch and delete, and an error for create', async () => {
    const { writer, sent } = await writing(OK);
    const ref = { group: 'x.io', kind: 'X', name: 'x' };
    await expect(writer.patch(ref, { type: 'merge', body: {} }, signal)).resolves.toBeUndefined();
    await expect(writer.delete(ref, {}, signal)).resolves.toBe('absent');
    const object = { apiVersion: 'x.io/v1', kind: 'X', metadata: { name: 'x' } };
    await expect(writer.create(object, {}, signal)).rejects.toMatchObject({ status: 404 });
    expect(sent).toEqual([]);
  });

  test('a namespaced object without its namespace is not taken for absent', async () => {
    const { writer } = await writing(refusal(404, 'NotFound'));
    const ref = { group: '', kind: 'ConfigMap', name: 'm' };
    await expect(writer.delete(ref, {}, signal)).rejects.toThrow('namespace');
  });
});

describe('refusals', () => {
  const failed = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => expect.unreachable('nothing was thrown'),
      (error: unknown) => error,
    );
  const pool = { ...Kinds.CephBlockPool, namespace: 'ns', name: 'p' };

  test('409 is a conflict, except for an object that exists already', async () => {
    const { writer } = await writing(refusal(409, 'Conflict'), refusal(409, 'AlreadyExists'));
    const conflict = await failed(writer.patch(pool, { type: 'merge', body: {} }, signal));
    expect([isConflict(conflict), isAlreadyExists(conflict)]).toEqual([true, false]);
    const exists = await failed(writer.create(MAP, {}, signal));
    expect([isConflict(exists), isAlreadyExists(exists)]).toEqual([false, true]);
  });

  test('403 is forbidden', async () => {
    const { writer } = await writing(refusal(403, 'Forbidden'));
    expect(isForbidden(await failed(writer.delete(MAP_REF, {}, signal)))).toBe(true);
  });

  test.for([
    { name: 'a failed test', op: 'test', details: {}, conflict: true },
    {
      name: 'an invalid value beside a test',
      op: 'test',
      details: { causes: [{ message: 'x' }] },
      conflict: false,
    },
    { name: 'a patch without test', op: 'add', details: {}, conflict: false },
  ] as const)('$name with 422: conflict is $conflict', async ({ op, details, conflict }) => {
    const { writer } = await writing(refusal(422, 'Invalid', { details }));
    const change = { type: 'json', body: [{ op, path: '/a', value: 1 }] } as const;
    expect(isConflict(await failed(writer.patch(pool, change, signal)))).toBe(conflict);
  });

  test('a server that is too busy is asked again after the time it names', async () => {
    const busy = { ...refusal(429, 'TooManyRequests'), headers: { 'retry-after': '2' } };
    const { writer, sent, waits } = await writing(busy, busy, OK);
    await writer.patch(MAP_REF, { type: 'merge', body: {} }, signal);
    expect(sent).toHaveLength(3);
    expect(waits).toEqual([2000, 2000]);
  });

  test.for([
    { name: '429 without a time', reply: refusal(429, 'TooManyRequests') },
    { name: '503', reply: { ...refusal(503, 'ServiceUnavailable'), headers: { 'retry-after': '1' } } },
    { name: '500', reply: refusal(500, 'InternalError') },
  ])('$name is not answered with a second write', async ({ reply }) => {
    const { writer, sent } = await writing(reply);
    await failed(writer.create(MAP, {}, signal));
    expect(sent).toHaveLength(1);
  });
});
