import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { walk, type Edge } from '#pkg/graph';
import { keyOf, Kinds, refOf, ROOK_KINDS, type KubeObject, type ResourceType } from '#pkg/object';
import { listed } from '#test/fixtures/rule-rows.ts';
import { worldObject } from '#test/fixtures/worlds.ts';
import { DependencyIndex } from './dependency-index.ts';
import { needsOfGraph, needsOfTree, needsOfVerdict, type Need, type Start } from './needs.ts';

const at = ({ group, kind }: ResourceType, namespace = 'rook-ceph'): Start => ({ group, kind, namespace });

/** `Kind`, with `*` when all namespaces are looked at, `(metadata)` and the like behind. */
function textOf({ kind, namespace, detail, labelSelector, ifAny }: Need): string {
  const where = kind.namespaced && namespace === undefined ? '*' : '';
  const how = [
    detail === 'metadata' ? 'metadata' : '',
    labelSelector ? `-l ${labelSelector}` : '',
    ifAny ? `if any ${ifAny.kind}` : '',
  ].filter(Boolean);
  return `${kind.kind}${where}${how.length > 0 ? ` (${how.join(', ')})` : ''}`;
}
/** Without the usages, which every question is about. */
const textsOf = (needs: readonly Need[]) =>
  needs
    .filter(
      ({ kind }) => ![Kinds.Usage, Kinds.ClusterUsage, Kinds.CriticalService].some((ours) => ours === kind),
    )
    .map(textOf)
    .sort();

describe('needsOfVerdict', () => {
  test.for(ROOK_KINDS)('of $kind stays within 28, one for each kind', (kind) => {
    const needs = needsOfVerdict([at(kind)]);
    expect(needs.length).toBeLessThanOrEqual(28);
    expect(new Set(needs.map((need) => need.kind)).size).toBe(needs.length);
  });

  test('of a pool', () => {
    expect(textsOf(needsOfVerdict([at(Kinds.CephBlockPool)]))).toEqual([
      'CephBlockPool',
      'CephBlockPoolRadosNamespace',
      'CephClient',
      'CephCluster',
      'CephFilesystem',
      'CephFilesystemSubVolumeGroup',
      'CephNFS',
      'CephNVMeOFGateway',
      'CephObjectStore',
      'CephObjectZone',
      'ClientProfile*',
      'PersistentVolume',
      'StorageClass',
      'VolumeSnapshotContent',
    ]);
  });

  test('of a store', () => {
    expect(textsOf(needsOfVerdict([at(Kinds.CephObjectStore)]))).toEqual([
      'Bucket',
      'CephBucketTopic*',
      'CephClient',
      'CephCluster',
      'CephNFS',
      'CephObjectRealm',
      'CephObjectStoreAccount',
      'CephObjectStoreUser*',
      'CephObjectZone',
      'CephObjectZoneGroup',
      'ObjectBucket',
      'ObjectBucketClaim*',
      'Secret* (metadata, -l rook_object_store, if any Bucket)',
      'StorageClass',
    ]);
  });

  test('of a realm is its zone groups, and whether the cluster is being destroyed', () => {
    expect(textsOf(needsOfVerdict([at(Kinds.CephObjectRealm)]))).toEqual([
      'CephCluster',
      'CephObjectZoneGroup',
    ]);
  });

  test('of a cluster reads only metadata where that is enough', () => {
    expect(textsOf(needsOfVerdict([at(Kinds.CephCluster)]))).toEqual([
      'CephBlockPool',
      'CephBlockPoolRadosNamespace',
      'CephBucketNotification (metadata)',
      'CephBucketTopic (metadata)',
      'CephCOSIDriver (metadata)',
      'CephClient (metadata)',
      'CephCluster',
      'CephConnection*',
      'CephFilesystem',
      'CephFilesystemMirror (metadata)',
      'CephFilesystemSubVolumeGroup',
      'CephNFS (metadata)',
      'CephNVMeOFGateway (metadata)',
      'CephObjectRealm (metadata)',
      'CephObjectStore (metadata)',
      'CephObjectStoreAccount (metadata)',
      'CephObjectStoreUser (metadata)',
      'CephObjectZone (metadata)',
      'CephObjectZoneGroup (metadata)',
      'CephRBDMirror (metadata)',
      'ClientProfile*',
      'PersistentVolume',
      'StorageClass',
    ]);
  });

  test('of a notification reads only the labels of claims', () => {
    expect(textsOf(needsOfVerdict([at(Kinds.CephBucketNotification)]))).toEqual([
      'CephCluster',
      'ObjectBucketClaim (metadata)',
    ]);
  });

  test('of two subjects is the wider of both', () => {
    const both = [at(Kinds.CephCluster), at(Kinds.CephBlockPool)];
    const needs = textsOf(needsOfVerdict(both));
    expect(needs).toContain('CephObjectStore');
    expect(needs).not.toContain('CephObjectStore (metadata)');
    const apart = needsOfVerdict([at(Kinds.CephObjectRealm, 'a'), at(Kinds.CephObjectRealm, 'b')]);
    expect(textsOf(apart)).toEqual(['CephCluster*', 'CephObjectZoneGroup*']);
  });

  test('of a kind that no rule targets is what people protect, which may be anything', () => {
    const needs = needsOfVerdict([{ group: 'apps', kind: 'Deployment', namespace: 'x' }]);
    expect(needs.map(textOf).sort()).toEqual(['ClusterUsage', 'CriticalService', 'Usage*']);
  });

  test('lists every direct dependent', () => {
    fc.assert(
      fc.property(fc.array(worldObject, { minLength: 2, maxLength: 25 }), (objects) => {
        const world = latest(objects);
        const all = new DependencyIndex(world);
        for (const subject of world) {
          const some = new DependencyIndex([...listed(needsOfVerdict([refOf(subject)]), world), subject]);
          const key = keyOf(refOf(subject));
          const found = new Set(some.graph.edgesAt(key, 'dependents').map(pairOf));
          expect(declaredOf(all.graph.edgesAt(key, 'dependents')).filter((pair) => !found.has(pair))).toEqual(
            [],
          );
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('needsOfTree', () => {
  test('of a realm, upwards, is its cluster', () => {
    expect(textsOf(needsOfTree([at(Kinds.CephObjectRealm)], 'providers'))).toEqual(['CephCluster']);
  });

  test('of a volume goes over its claim, which it names itself, to the pods', () => {
    const volume = { group: '', kind: 'PersistentVolume' };
    expect(textsOf(needsOfTree([volume], 'dependents'))).toEqual([
      'Deployment*',
      'PersistentVolumeClaim*',
      'Pod*',
      'VolumeAttachment',
    ]);
    const claim = at(Kinds.PersistentVolumeClaim, 'apps');
    expect(textsOf(needsOfTree([claim], 'providers'))).toContain('PersistentVolume');
  });

  test('of a topic, downwards, ends at the claims', () => {
    expect(textsOf(needsOfTree([at(Kinds.CephBucketTopic)], 'dependents'))).toEqual([
      'CephBucketNotification',
      'Deployment',
      'ObjectBucketClaim',
    ]);
  });

  test('lists whatever can be reached', () => {
    fc.assert(
      fc.property(
        fc.array(worldObject, { minLength: 2, maxLength: 25 }),
        fc.constantFrom('dependents', 'providers'),
        (objects, direction) => {
          const world = latest(objects);
          const all = new DependencyIndex(world);
          for (const subject of world.slice(0, 5)) {
            const some = new DependencyIndex([
              ...listed(needsOfTree([refOf(subject)], direction), world),
              subject,
            ]);
            const found = new Set(walk(some.graph, [refOf(subject)], direction).edges.map(pairOf));
            // Owners are shown where they are known anyway; nothing is listed for their sake.
            const owned = walk(all.graph, [refOf(subject)], direction).edges.some(
              ({ code }) => code === 'RD030',
            );
            const reached = owned ? [] : walk(all.graph, [refOf(subject)], direction).edges;
            expect(declaredOf(reached).filter((pair) => !found.has(pair))).toEqual([]);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('needsOfTree of what is rare', () => {
  test('looks for users of snapshots and COSI buckets only where there are any', () => {
    const needs = textsOf(needsOfTree([at(Kinds.CephCluster)], 'dependents'));
    expect(needs.filter((text) => text.includes('if any'))).toEqual([
      'BucketAccess* (if any Bucket)',
      'BucketClaim* (if any Bucket)',
      'Secret* (metadata, -l rook_object_store, if any Bucket)',
      'VolumeSnapshot* (if any VolumeSnapshotContent)',
    ]);
  });

  test('looks for the users of the snapshot that is asked about', () => {
    const needs = textsOf(needsOfTree([{ ...Kinds.VolumeSnapshotContent }], 'dependents'));
    expect(needs).toContain('VolumeSnapshot*');
  });
});

describe('needsOfGraph', () => {
  const needs = textsOf(needsOfGraph('rook-ceph'));

  test('has every kind once, and no workloads that nothing refers to', () => {
    expect(new Set(needs).size).toBe(needs.length);
    expect(needs).toContain('Pod*');
    expect(needs.filter((text) => /^(ConfigMap|Service|Deployment)/.test(text))).toEqual([]);
  });

  test('stays in the namespace, except for what may refer to it from outside', () => {
    expect(needs).toContain('CephBlockPool');
    expect(needs).toContain('CephObjectStoreUser*');
    expect(needs).toContain('PersistentVolumeClaim*');
  });

  test('asks for Secrets by label only', () => {
    expect(needs.filter((text) => text.startsWith('Secret'))).toEqual([
      'Secret* (metadata, -l rook_object_store, if any Bucket)',
    ]);
  });
});

function latest(objects: readonly KubeObject[]): readonly KubeObject[] {
  return [...new Map(objects.map((object) => [keyOf(refOf(object)), object])).values()];
}

function pairOf({ code, dependent, provider }: Edge): string {
  return `${code} ${keyOf(dependent)} ${keyOf(provider)}`;
}

/** All but owner references, which no need is made for. */
function declaredOf(edges: readonly Edge[]): readonly string[] {
  return edges.filter(({ code }) => code !== 'RD030').map(pairOf);
}
