import { describe, expect, test } from 'vitest';
import { Kinds, listAt, refOf, ROOK_KINDS, textAt, type KubeObject } from '#pkg/object';
import { deleted, DependentsWorld, finds, named } from '#test/fakes/dependents-world.ts';
import {
  aCluster,
  aFilesystem,
  anObject,
  aPool,
  aRadosNamespace,
  aStore,
  aSubVolumeGroup,
  aZone,
} from '#test/fixtures/objects.ts';
import { NOTHING, stateOf, type Finding } from './finding.ts';
import { blockedMessage } from './words.ts';

const finding = (...names: readonly (readonly [kind: string, name: string])[]): Finding => {
  const counts: Record<string, number> = {};
  for (const [kind] of names) counts[kind] = (counts[kind] ?? 0) + 1;
  return {
    blockers: names.map(([kind, name]) => ({ group: '', kind, name, code: 'RD000' })),
    counts,
    gaps: [],
  };
};

describe('14.1: a list of dependents', () => {
  test('that is new is empty', () => expect(stateOf(NOTHING)).toBe('free'));

  test('of one shows the heading, its kind and its name once each', () => {
    expect(blockedMessage(finding(['Mirror', 'm1']), 1024)).toBe(
      'object deletion is blocked because it has dependents: Mirrors: [m1]',
    );
  });

  test('of one kind shows no other', () => {
    expect(blockedMessage(finding(['A', '1'], ['A', '2'], ['A', '3']), 1024)).toMatch(/: As: \[1 2 3\]$/);
  });

  test('of three kinds is in their order', () => {
    const message = blockedMessage(finding(['M', '1'], ['Y', '1'], ['T', '1']), 1024);
    expect(message).toMatch(/: Ms: \[1\], Ts: \[1\], Ys: \[1\]$/);
  });
});

describe('14.1: the condition', () => {
  const pool = deleted(aPool('p'));

  test('is added where there is no status, beside others, and keeps its time until its truth changes', async () => {
    const world = new DependentsWorld(pool, aRadosNamespace('a', 'p'));
    await world.reconcile(pool);
    expect(world.condition(pool)).toBe('True/ObjectHasDependents');
    const first = timeOf(world, pool);
    await world.clock.advance(10_000);
    world.cluster.put(aRadosNamespace('b', 'p'));
    await world.reconcile(pool);
    expect(world.message(pool)).toContain('[rook-ceph/a rook-ceph/b]');
    expect(timeOf(world, pool)).toBe(first);
    await world.clock.advance(10_000);
    for (const name of ['a', 'b']) world.cluster.drop(refOf(aRadosNamespace(name, 'p')));
    world.cluster.put({
      ...(world.at(pool) as KubeObject),
      metadata: {
        ...(world.at(pool) as KubeObject).metadata,
        finalizers: ['rook-deps.io/dependents', 'other.io/x'],
      },
    });
    await world.reconcile(pool);
    expect(world.condition(pool)).toBe('False/ObjectHasNoDependents');
    expect(timeOf(world, pool)).not.toBe(first);
  });

  function timeOf(world: DependentsWorld, object: KubeObject): unknown {
    return textAt(listAt(world.at(object), 'status', 'conditions')[0], 'lastTransitionTime');
  }
});

/** The 13 kinds that Rook's own test asks about, one by one. */
const LISTED = [
  'CephBlockPool',
  'CephRBDMirror',
  'CephFilesystem',
  'CephFilesystemMirror',
  'CephObjectStore',
  'CephObjectStoreUser',
  'CephObjectZone',
  'CephObjectZoneGroup',
  'CephObjectRealm',
  'CephNFS',
  'CephClient',
  'CephBucketTopic',
  'CephBucketNotification',
].map((name) => ROOK_KINDS.find(({ kind }) => kind === name) ?? Kinds.CephCluster);

describe('14.2: a CephCluster', () => {
  test.for(LISTED)('has all $kind of its namespace for dependents, and nothing else', async (kind) => {
    const objects = ['a', 'b', 'c'].map((name) => anObject(kind, name));
    expect(named(await finds(aCluster(), objects))).toEqual(
      ['a', 'b', 'c'].map((name) => `${kind.kind}/${name}`),
    );
  });

  test('has one of everything for dependents, and nothing of another namespace', async () => {
    const others = ROOK_KINDS.filter((kind) => kind !== Kinds.CephCluster);
    const near = others.map((kind) => anObject(kind, 'near'));
    const far = others.map((kind) => anObject(kind, 'far', { namespace: 'elsewhere' }));
    const found = await finds(aCluster(), [...near, ...far]);
    expect(named(found).toSorted()).toEqual(others.map(({ kind }) => `${kind}/near`).toSorted());
    const stranger = aCluster('rook-ceph', { namespace: 'third' });
    expect(await finds(stranger, [...near, ...far])).toEqual(NOTHING);
  });

  test('that is deleted is held by a pool, with phase, condition and Event, and let go without it', async () => {
    const cluster = deleted(aCluster(), ['rook-deps.io/dependents', 'other.io/x']);
    const world = new DependentsWorld(cluster, aPool('p'));
    await world.reconcile(cluster);
    expect(world.at(cluster)?.['status']).toMatchObject({ phase: 'Deleting' });
    expect(world.condition(cluster)).toBe('True/ObjectHasDependents');
    expect(world.events).toEqual([
      { reason: 'ReconcileFailed', note: expect.stringContaining('CephBlockPools: [rook-ceph/p]') as string },
    ]);
    world.cluster.drop(refOf(aPool('p')));
    await world.reconcile(cluster);
    expect(world.condition(cluster)).toBe('False/ObjectHasNoDependents');
    expect(world.finalizers(cluster)).toEqual(['other.io/x']);
  });

  test('of which two kinds cannot be listed tells both, and still what it found', async () => {
    const refusals = [Kinds.CephNFS, Kinds.CephClient].map((kind) => ({ kind, reason: 'boom' }));
    const found = await finds(aCluster(), [aPool('p')], refusals);
    expect(named(found)).toEqual(['CephBlockPool/p']);
    expect(found.gaps.map(({ what }) => what).toSorted()).toEqual(['CephClient', 'CephNFS']);
  });
});

describe('14.3: a CephBlockPool', () => {
  test.for([
    { name: 'without a rados namespace is free', others: [], held: [] },
    { name: 'is free of those of another pool', others: [aRadosNamespace('n', 'q')], held: [] },
    {
      name: 'is held by its own',
      others: [aRadosNamespace('n', 'p')],
      held: ['CephBlockPoolRadosNamespace/n'],
    },
  ])('$name', async ({ others, held }) => expect(named(await finds(aPool('p'), others))).toEqual(held));
});

describe('14.4: a CephFilesystem', () => {
  test.for([
    { name: 'without groups is free', others: [], held: [] },
    { name: 'is free of groups of another filesystem', others: [aSubVolumeGroup('g', 'other')], held: [] },
    {
      name: 'is held by a group of its own, be it empty',
      others: [aSubVolumeGroup('g', 'fs')],
      held: ['CephFilesystemSubVolumeGroup/g'],
    },
  ])('$name', async ({ others, held }) =>
    expect(named(await finds(aFilesystem('fs'), others))).toEqual(held),
  );
});

describe('14.5: an object store and its zone', () => {
  const user = (name: string, store: string): KubeObject =>
    anObject(Kinds.CephObjectStoreUser, name, { spec: { store } });
  const inZone = (name: string, zone: string): KubeObject => aStore(name, { spec: { zone: { name: zone } } });

  test.for([
    { name: 'a store without users is free', subject: aStore('s'), others: [], held: [] },
    {
      name: 'a store is free of the users of another',
      subject: aStore('s'),
      others: [user('u', 't')],
      held: [],
    },
    {
      name: 'a store is held by its user',
      subject: aStore('s'),
      others: [user('u', 's')],
      held: ['CephObjectStoreUser/u'],
    },
    { name: 'a zone without stores is free', subject: aZone('z'), others: [], held: [] },
    {
      name: 'a zone is held by its store',
      subject: aZone('z'),
      others: [inZone('a', 'z')],
      held: ['CephObjectStore/a'],
    },
    {
      name: 'a zone is free of the stores of another',
      subject: aZone('z'),
      others: [inZone('a', 'y')],
      held: [],
    },
    {
      name: 'a zone is held by both its stores',
      subject: aZone('z'),
      others: [inZone('a', 'z'), inZone('b', 'z')],
      held: ['CephObjectStore/a', 'CephObjectStore/b'],
    },
  ])('$name', async ({ subject, others, held }) => expect(named(await finds(subject, others))).toEqual(held));
});

describe('14.6: what is in the namespace of a CephCluster', () => {
  const word = { spec: { cleanupPolicy: { confirmation: 'yes-really-destroy-data' } } };
  test.for([
    { name: 'is held where there is no cluster', clusters: [], isHeld: true },
    {
      name: 'is held while the cluster is deleted without a policy',
      clusters: [deleted(aCluster())],
      isHeld: true,
    },
    {
      name: 'is held while the cluster with the policy is not deleted',
      clusters: [aCluster('c', word)],
      isHeld: true,
    },
    {
      name: 'is free while it is deleted with the policy',
      clusters: [deleted(aCluster('c', word))],
      isHeld: false,
    },
  ])('$name', async ({ clusters, isHeld }) => {
    const found = await finds(aPool('p'), [...clusters, aRadosNamespace('n', 'p')]);
    expect(stateOf(found)).toBe(isHeld ? 'held' : 'free');
  });
});
