import { describe, expect, test } from 'vitest';
import { Kinds, ResourceTypes, type KubeObject, type Review, type Writer } from '#pkg/object';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { fakeReader } from '#test/fakes/reader.ts';
import { side, SIGNAL, usageObject } from '#test/fakes/usage-world.ts';
import { accessReviewer, usageLister } from './kube-ports.ts';

const USAGE = usageObject({ of: side('used'), reason: 'needed' });
const ALL: KubeObject = { ...USAGE, kind: 'ClusterUsage', metadata: { name: 'all' } };

describe('the usages of the server', () => {
  const served = async (): Promise<ResourceTypes> => new FakeCluster(() => 0).types;

  test('are unknown when the server does not have their kinds: it may just be starting', async () => {
    const lister = usageLister(fakeReader([ALL, USAGE]), async () => new ResourceTypes([Kinds.Usage]));
    await expect(lister(SIGNAL)).rejects.toThrow('the server does not have ClusterUsage at present');
  });

  test('F4: are those of both kinds, in this order', async () => {
    const usages = await usageLister(fakeReader([ALL, USAGE]), served)(SIGNAL);
    expect(usages.map(({ ref }) => ref.kind)).toEqual(['Usage', 'ClusterUsage']);
  });

  test.each([
    ['F1', Kinds.Usage],
    ['F2, F3', Kinds.ClusterUsage],
  ])('%s: are unknown when those of one kind cannot be listed: $kind', async (_id, kind) => {
    const reader = fakeReader([ALL, USAGE], [{ kind, reason: 'boom' }]);
    await expect(usageLister(reader, served)(SIGNAL)).rejects.toThrow(`cannot list ${kind.kind}: boom`);
  });
});

describe('a question about rights', () => {
  const asked: Review[] = [];
  const writer = {
    createReview: async (review: Review) => {
      asked.push(review);
      return { status: { allowed: true } };
    },
  } as unknown as Writer;
  const { types } = new FakeCluster(() => 0);
  const may = accessReviewer(writer, async () => types);
  const ada = { username: 'ada', groups: ['dev'], extra: { scope: ['x'] } };

  test('names the user in full and the object by its resource', async () => {
    expect(await may(ada, 'delete', { group: 'example.org', kind: 'Gadget', name: 'used' }, SIGNAL)).toBe(
      true,
    );
    expect(asked[0]?.spec).toEqual({
      user: 'ada',
      groups: ['dev'],
      extra: { scope: ['x'] },
      resourceAttributes: {
        verb: 'delete',
        group: 'example.org',
        version: 'v1',
        resource: 'gadgets',
        name: 'used',
      },
    });
  });

  test('about a kind that does not exist is answered with no', async () => {
    expect(await may(ada, 'delete', { group: 'example.org', kind: 'Nothing', name: 'x' }, SIGNAL)).toBe(
      false,
    );
  });
});
