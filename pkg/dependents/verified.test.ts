import { describe, expect, test } from 'vitest';
import type { Census, CensusRequest } from '#pkg/kube';
import { keyOf, kindKey, Kinds, refOf, type GroupKind, type KubeObject } from '#pkg/object';
import { FakeClock } from '#test/fakes/fake-clock.ts';
import { namespace } from '#test/fakes/usage-world.ts';
import { anObject, aPool, aRadosNamespace, aVolume } from '#test/fixtures/objects.ts';
import { NOTHING, type Finding } from './finding.ts';
import { verifiedFinder } from './verified.ts';
import type { Kept } from './kept.ts';

const SIGNAL = new AbortController().signal;
const POOL = aPool('p');
const LISTED: Finding = { ...NOTHING, counts: { Listed: 1 } };

type Versioned = KubeObject & {
  readonly metadata: { readonly uid: string; readonly resourceVersion: string };
};
const at = (object: KubeObject, resourceVersion: number, uid = `uid-${object.metadata.name}`): Versioned => ({
  ...object,
  metadata: { ...object.metadata, uid, resourceVersion: String(resourceVersion) },
});

class World {
  readonly clock = new FakeClock();
  cached: readonly Versioned[] = [];
  served: readonly Versioned[] = [];
  /** Of the moment of the census. */
  now = 100;
  unfollowed: GroupKind | undefined;
  refused: GroupKind | undefined;
  isSettled = true;

  async find(subject: KubeObject = POOL): Promise<Finding> {
    const isSettled = (): boolean => this.isSettled;
    const finding = verifiedFinder({
      clock: this.clock,
      census: async (request) => this.#census(request),
      look: async () => LISTED,
      cache: {
        ofKind: (kind) =>
          new Map(of(kind, this.cached).map((object) => [keyOf(refOf(object)), keptOf(object)])),
        isFollowed: (kind) => this.unfollowed !== kind,
        heldOrDoubted: () => NOTHING,
        get isSettled() {
          return isSettled();
        },
      },
    })(subject, SIGNAL);
    for (let waits = 0; waits < 20; waits++) await this.clock.advance(20);
    return finding;
  }

  #census({ kind, namespace }: CensusRequest): Census {
    if (kind === this.refused) throw new Error('forbidden');
    const objects = of(kind, this.served).filter(
      ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
    );
    return {
      versions: new Map(objects.map((object) => [keyOf(refOf(object)), object.metadata])),
      resourceVersion: String(this.now),
    };
  }
}

const of = (kind: GroupKind, objects: readonly Versioned[]): readonly Versioned[] =>
  objects.filter((object) => kindKey(refOf(object)) === kindKey(kind));
const keptOf = (object: Versioned): Kept => {
  const { uid, resourceVersion } = object.metadata;
  return { ref: refOf(object), uid, resourceVersion, finalizers: [], isForced: false };
};

describe('what is found', () => {
  const [volume, part] = [aVolume('v'), aRadosNamespace('n', 'other')];

  test.for<{ name: string; cached: readonly Versioned[]; served: readonly Versioned[]; isCurrent: boolean }>([
    {
      name: 'is what the cache has when it has all',
      cached: [at(volume, 5)],
      served: [at(volume, 5)],
      isCurrent: true,
    },
    {
      name: 'is what the cache has when it is ahead',
      cached: [at(volume, 120)],
      served: [at(volume, 99)],
      isCurrent: true,
    },
    {
      name: 'is listed when an object is not in the cache',
      cached: [],
      served: [at(volume, 5)],
      isCurrent: false,
    },
    {
      name: 'is listed when the cache has an older one',
      cached: [at(volume, 9)],
      served: [at(volume, 10)],
      isCurrent: false,
    },
    {
      name: 'is listed when the cache has another of that name',
      cached: [at(volume, 9, 'a')],
      served: [at(volume, 9, 'b')],
      isCurrent: false,
    },
    {
      name: 'is listed when the cache has one that is gone',
      cached: [at(volume, 5), at(part, 6)],
      served: [at(volume, 5)],
      isCurrent: false,
    },
  ])('$name', async ({ cached, served, isCurrent }) => {
    const world = new World();
    Object.assign(world, { cached, served });
    expect(await world.find()).toBe(isCurrent ? NOTHING : LISTED);
  });

  test('of a namespace is listed when the cache lacks a resource in it', async () => {
    const world = new World();
    world.served = [at(POOL, 5)];
    expect(await world.find(namespace('rook-ceph'))).toBe(LISTED);
    expect(await world.find(namespace('elsewhere'))).toBe(NOTHING);
    world.cached = world.served;
    expect(await world.find(namespace('rook-ceph'))).toBe(NOTHING);
  });

  test('of a definition is listed when the cache lacks a resource of its kind', async () => {
    const world = new World();
    world.served = [at(anObject(Kinds.CephRBDMirror, 'm'), 5)];
    const definition = (name: string): KubeObject => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name },
    });
    expect(await world.find(definition('cephrbdmirrors.ceph.rook.io'))).toBe(LISTED);
    world.cached = world.served;
    expect(await world.find(definition('cephrbdmirrors.ceph.rook.io'))).toBe(NOTHING);
  });

  test('is listed when a kind is not followed, cannot be counted, or is not yet indexed', async () => {
    for (const trouble of [
      { unfollowed: Kinds.PersistentVolume },
      { refused: Kinds.CephNFS },
      { isSettled: false },
    ])
      expect(await Object.assign(new World(), trouble).find()).toBe(LISTED);
  });

  test('is listed for a store where COSI buckets may need a Secret', async () => {
    const world = new World();
    world.cached = world.served = [at(anObject(Kinds.CosiBucket, 'b'), 5)];
    expect(await world.find()).toBe(NOTHING);
    const look = verifiedFinder({
      clock: world.clock,
      census: () => Promise.reject(new Error('asked')),
      look: async () => LISTED,
      cache: {
        ofKind: (kind) =>
          new Map(kind === Kinds.CosiBucket ? [[keyOf(refOf(POOL)), keptOf(at(POOL, 1))]] : []),
        isFollowed: () => true,
        isSettled: true,
        heldOrDoubted: () => NOTHING,
      },
    });
    expect(await look(anObject(Kinds.CephObjectStore, 's'), SIGNAL)).toBe(LISTED);
  });

  test('waits a moment for the watches to catch up', async () => {
    const world = new World();
    world.served = [at(volume, 5)];
    const finding = world.find();
    world.cached = world.served;
    expect(await finding).toBe(NOTHING);
  });
});
