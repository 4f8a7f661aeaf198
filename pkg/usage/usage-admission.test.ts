import { describe, expect, test } from 'vitest';
import type { AdmissionRequest, Answer } from '#pkg/admission';
import { KNOWN_TYPES, ResourceTypes, type KubeObject } from '#pkg/object';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { deletionOf, selecting, side, SIGNAL, usage, usageObject } from '#test/fakes/usage-world.ts';
import { usageAdmission, type UsageAdmissionPorts } from './usage-admission.ts';
import type { Usage } from './usage.ts';

const REASON = { of: side('used'), reason: 'needed' };
const GADGET = { apiVersion: 'example.org/v1', kind: 'Gadget' };

interface Situation {
  readonly others?: readonly Usage[];
  readonly mayDelete?: boolean;
  readonly types?: ResourceTypes;
}

class Hearing {
  readonly asked: unknown[] = [];
  readonly #ports: UsageAdmissionPorts;

  constructor({ others = [], mayDelete = true, types = new FakeCluster(() => 0).types }: Situation = {}) {
    this.#ports = {
      types: async () => types,
      allUsages: async () => others,
      mayDelete: async (_user, target) => {
        this.asked.push(target);
        return mayDelete;
      },
    };
  }

  create(object: KubeObject): Promise<Answer> {
    return this.#answer({ operation: 'CREATE', object });
  }

  update(oldObject: KubeObject, object: KubeObject): Promise<Answer> {
    return this.#answer({ operation: 'UPDATE', object, oldObject });
  }

  #answer(more: Partial<AdmissionRequest>): Promise<Answer> {
    const { oldObject: _, ...request } = deletionOf(usageObject({}));
    return usageAdmission(this.#ports)({ ...request, ...more }, SIGNAL);
  }
}

function clusterUsage(spec: object): KubeObject {
  return { apiVersion: 'rook-deps.io/v1alpha1', kind: 'ClusterUsage', metadata: { name: 'all' }, spec };
}

describe('a usage is let in', () => {
  test.each([
    ['of an object in its own namespace', usageObject(REASON)],
    [
      'of an object in another',
      usageObject({ of: side('used', { resourceRef: { name: 'used', namespace: 'x' } }), reason: 'r' }),
    ],
    ['of an object without a namespace', usageObject({ of: side('used', GADGET), reason: 'r' })],
    [
      'from outside of an object without a namespace',
      clusterUsage({ of: side('used', GADGET), reason: 'r' }),
    ],
    [
      'from outside of an object in a namespace',
      clusterUsage({ of: selecting({}, { namespace: 'x' }), reason: 'r' }),
    ],
    [
      'whatever version of the kind it names',
      usageObject({ of: side('used', { ...GADGET, apiVersion: 'example.org/v9' }), reason: 'r' }),
    ],
  ])('%s', async (_title, object) => {
    expect(await new Hearing().create(object)).toEqual({ kind: 'allow' });
  });
});

describe('a usage is refused', () => {
  test.each([
    [
      'of a kind that the server does not have',
      side('used', { kind: 'Nothing' }),
      'spec.of.kind',
      'the server doesn\'t have a kind "Nothing" in "v1"',
    ],
    [
      'U2: with a malformed apiVersion',
      side('used', { apiVersion: '/invalid/' }),
      'spec.of.apiVersion',
      'unexpected GroupVersion string: /invalid/',
    ],
    [
      'with a version too many',
      side('used', { ...GADGET, apiVersion: 'example.org/v1/v2' }),
      'spec.of.apiVersion',
      'unexpected GroupVersion string',
    ],
    [
      'that puts an object without a namespace into one',
      side('used', { ...GADGET, resourceRef: { name: 'used', namespace: 'x' } }),
      'spec.of',
      'Gadget is cluster-scoped: leave the namespace out',
    ],
    [
      'that looks for an object without a namespace in one',
      { ...selecting({}, { namespace: 'x' }), ...GADGET },
      'spec.of',
      'Gadget is cluster-scoped',
    ],
  ])('%s', async (_title, of, field, message) => {
    const answer = await new Hearing().create(usageObject({ of, reason: 'needed' }));
    expect(answer).toMatchObject({ kind: 'invalid', field });
    expect(answer.kind === 'invalid' && answer.message).toContain(message);
  });

  test('from outside any namespace, when it does not say in which the object is', async () => {
    expect(await new Hearing().create(clusterUsage(REASON))).toEqual({
      kind: 'invalid',
      message: 'ConfigMap is namespaced: say in which namespace it is',
      field: 'spec.of',
    });
  });

  test('for what uses the object as for what is used', async () => {
    const by = side('using', { kind: 'Nothing' });
    const answer = await new Hearing().create(usageObject({ of: side('used'), by }));
    expect(answer).toMatchObject({ kind: 'invalid', field: 'spec.by.kind' });
  });

  test('when the object would use itself', async () => {
    const answer = await new Hearing().create(usageObject({ of: side('used'), by: side('used') }));
    expect(answer).toEqual({ kind: 'invalid', message: 'ConfigMap "used" cannot use itself', field: 'spec' });
  });

  test('when it would close a circle', async () => {
    const others = [
      usage({ of: side('b'), by: side('c') }, { name: 'x' }),
      usage({ of: side('c'), by: side('a') }, { name: 'y' }),
    ];
    const answer = await new Hearing({ others }).create(usageObject({ of: side('a'), by: side('b') }));
    expect(answer).toMatchObject({ kind: 'invalid', field: 'spec' });
    expect(answer.kind === 'invalid' && answer.message).toContain(
      'ConfigMap/b → ConfigMap/a → ConfigMap/c → ConfigMap/b',
    );
  });

  test('by who may not delete the object', async () => {
    const hearing = new Hearing({ mayDelete: false });
    expect(await hearing.create(usageObject(REASON))).toEqual({
      kind: 'forbidden',
      message:
        'to protect an object one must be allowed to delete it, and user "ada" cannot delete configmaps "used" in namespace "here"',
    });
    expect(hearing.asked).toEqual([{ group: '', kind: 'ConfigMap', namespace: 'here', name: 'used' }]);
  });

  test('by who may not delete every object that a selector could find', async () => {
    const hearing = new Hearing({ mayDelete: false });
    const of = { ...selecting({ a: 'b' }), ...GADGET };
    const answer = await hearing.create(usageObject({ of, reason: 'needed' }));
    expect(answer).toMatchObject({ kind: 'forbidden' });
    expect(hearing.asked).toEqual([
      { group: 'example.org', kind: 'Gadget', namespace: undefined, name: undefined },
    ]);
  });

  test.each(['DELETE', 'CONNECT'] as const)('%s is not asked about', async (operation) => {
    const { oldObject: _, ...request } = deletionOf(usageObject(REASON));
    const ports = {} as UsageAdmissionPorts;
    const answer = await usageAdmission(ports)(
      { ...request, operation, object: usageObject(REASON) },
      SIGNAL,
    );
    expect(answer.kind).toBe('badRequest');
  });

  test('without its object', async () => {
    const { oldObject: _, ...request } = deletionOf(usageObject(REASON));
    const answer = await usageAdmission({} as UsageAdmissionPorts)(
      { ...request, operation: 'CREATE' },
      SIGNAL,
    );
    expect(answer.kind).toBe('badRequest');
  });
});

describe('a change of a usage', () => {
  test('that leaves its objects alone needs no right', async () => {
    const hearing = new Hearing({ mayDelete: false });
    const after = usageObject(REASON, { finalizers: ['x/y'] });
    expect(await hearing.update(usageObject(REASON), after)).toEqual({ kind: 'allow' });
    expect(hearing.asked).toEqual([]);
  });

  test('that turns the replay on needs the right to delete: it may come to that', async () => {
    const after = usageObject({ ...REASON, replayDeletion: true });
    expect((await new Hearing({ mayDelete: false }).update(usageObject(REASON), after)).kind).toBe(
      'forbidden',
    );
    expect((await new Hearing().update(usageObject(REASON), after)).kind).toBe('allow');
    expect((await new Hearing({ mayDelete: false }).update(after, usageObject(REASON))).kind).toBe('allow');
  });

  test('passes when its kind is gone: its finalizer must come off', async () => {
    const hearing = new Hearing({ types: new ResourceTypes([]) });
    const before = usageObject(REASON, { finalizers: ['rook-deps.io/usage'] });
    expect(await hearing.update(before, usageObject(REASON))).toEqual({ kind: 'allow' });
  });

  test('that resolves a selector is judged as a new usage is', async () => {
    const by = selecting({ a: 'b' });
    const before = usageObject({ of: side('used'), by });
    const itself = usageObject({ of: side('used'), by: { ...by, resourceRef: { name: 'used' } } });
    expect((await new Hearing().update(before, itself)).kind).toBe('invalid');
    const another = usageObject({ of: side('used'), by: { ...by, resourceRef: { name: 'using' } } });
    expect((await new Hearing().update(before, another)).kind).toBe('allow');
    expect((await new Hearing({ mayDelete: false }).update(before, another)).kind).toBe('forbidden');
  });

  test('of known kinds is judged by what the server has', async () => {
    const hearing = new Hearing({ types: new ResourceTypes(KNOWN_TYPES) });
    expect((await hearing.create(usageObject(REASON))).kind).toBe('allow');
  });
});
