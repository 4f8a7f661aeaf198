import { describe, expect, test } from 'vitest';
import type { AdmissionHandler, AdmissionRequest, Answer } from '#pkg/admission';
import type { KubeObject } from '#pkg/object';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { aClaim, aComposite, CLAIM_REF, template } from '#test/fakes/storage-world.ts';
import { claimAdmission } from './claim-admission.ts';
import { compositeAdmission } from './composite-admission.ts';

const { signal } = new AbortController();
const SELF = 'system:serviceaccount:rook-deps-system:rook-deps-controller';

interface Situation {
  readonly username?: string;
  /** `verb name` of what the user may not do. */
  readonly refused?: readonly string[];
  readonly handler?: AdmissionHandler;
  /** Composites that are there. */
  readonly others?: readonly KubeObject[];
}

function request(more: Partial<AdmissionRequest>, username = 'ada'): AdmissionRequest {
  return {
    uid: 'review',
    operation: 'CREATE',
    kind: { group: 'rook-deps.io', version: 'v1alpha1', kind: 'StorageComposite' },
    resource: { group: 'rook-deps.io', version: 'v1alpha1', resource: 'storagecomposites' },
    userInfo: { username, groups: [], extra: {} },
    dryRun: false,
    options: {},
    ...more,
  };
}

async function ask(
  object: KubeObject,
  oldObject?: KubeObject,
  { username, refused = [], handler, others = [] }: Situation = {},
): Promise<{ readonly answer: Answer; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const admission = compositeAdmission({
    types: () => Promise.resolve(new FakeCluster(() => 0).types),
    mayDo: (_user, verb, { name }) => {
      asked.push(`${verb} ${name}`);
      return Promise.resolve(!refused.includes(`${verb} ${name}`));
    },
    handlerOf: ({ kind }) => (kind === 'Usage' ? handler : undefined),
    get: ({ name }) => Promise.resolve(others.find(({ metadata }) => metadata.name === name)),
    self: SELF,
  });
  const update = oldObject ? { operation: 'UPDATE' as const, oldObject } : {};
  return { answer: await admission(request({ object, ...update }, username), signal), asked };
}

describe('whoever composes', () => {
  test('must be allowed to create and delete every part', async () => {
    const { answer, asked } = await ask(aComposite([template('a'), template('b')]));
    expect(answer.kind).toBe('allow');
    expect(asked).toEqual(['create a', 'delete a', 'create b', 'delete b']);
    for (const refused of ['create b', 'delete a'])
      expect(
        (await ask(aComposite([template('a'), template('b')]), undefined, { refused: [refused] })).answer
          .kind,
      ).toBe('forbidden');
  });

  test('must be allowed to delete what is removed, too', async () => {
    const before = aComposite([template('a'), template('b')]);
    const { answer } = await ask(aComposite([template('a')]), before, { refused: ['delete b'] });
    expect(answer).toMatchObject({
      kind: 'forbidden',
      message: expect.stringContaining('cannot delete') as string,
    });
  });

  test('must be allowed to read the Secret that is passed on', async () => {
    const secret = { connectionSecretRef: { namespace: 'kube-system', name: 'token' } };
    expect(
      (await ask(aComposite([template('a')], secret), undefined, { refused: ['get token'] })).answer.kind,
    ).toBe('forbidden');
  });

  test('is not asked again for a change that composes nothing', async () => {
    const object = aComposite([template('a')]);
    const touched = { ...object, metadata: { ...object.metadata, labels: { a: 'b' } } };
    expect(await ask(touched, object, { refused: ['create a'] })).toEqual({
      answer: { kind: 'allow' },
      asked: [],
    });
  });

  test('may not give it to a claim without those rights, but the controller may', async () => {
    const [before, after] = [
      aComposite([template('a')]),
      aComposite([template('a')], { claimRef: CLAIM_REF }),
    ];
    expect((await ask(after, before, { refused: ['create a'] })).answer.kind).toBe('forbidden');
    expect((await ask(after, before, { refused: ['create a'], username: SELF })).answer.kind).toBe('allow');
    const more = aComposite([template('a'), template('b')]);
    expect((await ask(more, before, { refused: ['create b'], username: SELF })).answer.kind).toBe(
      'forbidden',
    );
  });
});

describe('a composite', () => {
  test('names the field that is wrong', async () => {
    const wrong = aComposite([template('a'), template('b', { metadata: { ownerReferences: [] } })]);
    expect((await ask(wrong)).answer).toMatchObject({
      kind: 'invalid',
      field: 'spec.resources[1].template.metadata.ownerReferences',
    });
  });

  test('cannot make a claim that leads back to it', async () => {
    const api = { apiVersion: 'rook-deps.io/v1alpha1', kind: 'StorageClaim' };
    const claimOn = (name: string): object => template('c', { ...api, spec: { compositeRef: { name } } });
    const other = aComposite([claimOn('whole')]);
    const others = [{ ...other, metadata: { ...other.metadata, name: 'other' } }];
    const handler = (): Promise<Answer> => Promise.resolve({ kind: 'allow' });
    for (const name of ['whole', 'other'])
      expect((await ask(aComposite([claimOn(name)]), undefined, { others, handler })).answer).toMatchObject({
        kind: 'invalid',
        field: 'spec.resources[0].template',
        message: expect.stringContaining('a claim to itself') as string,
      });
  });

  test('cannot make one object twice', async () => {
    const twice = aComposite([
      template('a'),
      { name: 'b', template: (template('a') as { template: object }).template },
    ]);
    expect((await ask(twice)).answer).toMatchObject({
      kind: 'invalid',
      message: 'template "b" makes the same object',
    });
  });

  test('is reviewed for what it makes of our own kinds, as if its author made it', async () => {
    const own = {
      apiVersion: 'rook-deps.io/v1alpha1',
      kind: 'Usage',
      metadata: { name: 'u', namespace: 'here' },
    };
    const seen: AdmissionRequest[] = [];
    const handler: AdmissionHandler = (review) => {
      seen.push(review);
      return Promise.resolve({ kind: 'invalid', message: 'no', field: 'spec.of' });
    };
    const { answer } = await ask(aComposite([template('u', own)]), undefined, { handler });
    expect(answer).toMatchObject({ kind: 'invalid', field: 'spec.resources[0].template.spec.of' });
    expect(seen[0]).toMatchObject({
      operation: 'CREATE',
      userInfo: { username: 'ada' },
      object: { kind: 'Usage' },
    });
  });
});

test('a kind of ours that nobody reviews for its author cannot be composed', async () => {
  const own = { apiVersion: 'rook-deps.io/v1alpha1', kind: 'CriticalService', metadata: { name: 'c' } };
  expect((await ask(aComposite([template('c', own)]))).answer).toMatchObject({
    kind: 'invalid',
    field: 'spec.resources[0].template.kind',
    message: 'CriticalService cannot be composed',
  });
});

test.for([
  { name: 'that is not there yet', composite: undefined, kind: 'allow' },
  { name: 'that is free', composite: aComposite([]), kind: 'allow' },
  {
    name: 'for others',
    composite: aComposite([], { claimableFrom: { namespaces: ['there'] } }),
    kind: 'forbidden',
  },
  { name: 'for nobody', composite: aComposite([], { claimableFrom: undefined }), kind: 'forbidden' },
  {
    name: 'of another',
    composite: aComposite([], { claimRef: { ...CLAIM_REF, name: 'other' } }),
    kind: 'conflict',
  },
])('a claim for a composite $name: $kind', async ({ composite, kind }) => {
  const admission = claimAdmission({ get: () => Promise.resolve(composite) });
  expect((await admission(request({ object: aClaim() }), signal)).kind).toBe(kind);
});
