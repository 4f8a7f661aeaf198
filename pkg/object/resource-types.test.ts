import { describe, expect, test } from 'vitest';
import { Kinds, KNOWN_TYPES, ROOK_KINDS, isRookKind } from './known-types.ts';
import { ResourceTypes, type ResourceType } from './resource-types.ts';

const types = new ResourceTypes(KNOWN_TYPES);

function aType(group: string, kind: string, parts: Partial<ResourceType> = {}): ResourceType {
  const singular = kind.toLowerCase();
  return {
    group,
    version: 'v1',
    kind,
    singular,
    plural: `${singular}s`,
    shortNames: [],
    namespaced: true,
    ...parts,
  };
}

describe('resolve', () => {
  test.for([
    'cephblockpools',
    'cephblockpool',
    'CephBlockPool',
    'CEPHBLOCKPOOLS',
    'cephbp',
    'CephBP',
    'cephblockpools.ceph.rook.io',
    'cephblockpool.ceph.rook.io',
    'CephBlockPool.ceph.rook.io',
    'cephblockpools.v1.ceph.rook.io',
    'cephbp.ceph.rook.io',
  ])('takes %s for a pool', (word) => {
    expect(types.resolve(word)).toBe(Kinds.CephBlockPool);
  });

  test.for([
    ['nfs', Kinds.CephNFS],
    ['cephnfses', Kinds.CephNFS],
    ['ceph', Kinds.CephCluster],
    ['pv', Kinds.PersistentVolume],
    ['sc', Kinds.StorageClass],
    ['storageclasses.storage.k8s.io', Kinds.StorageClass],
    ['obc', Kinds.ObjectBucketClaim],
    ['pods', Kinds.Pod],
    ['pods.v1.', Kinds.Pod],
    ['buckets', Kinds.CosiBucket],
    ['deploy.apps', Kinds.Deployment],
  ] as const)('takes %s for what it is', ([word, type]) => {
    expect(types.resolve(word)).toBe(type);
  });

  test.for([
    '',
    'cephblock',
    'cephblockpools.',
    'cephblockpools.v2.ceph.rook.io',
    'cephblockpools.other.io',
    'cephblockpools.ceph.rook.io.',
    '__proto__',
    'constructor',
  ])('does not know %j', (word) => {
    expect(types.resolve(word)).toBeUndefined();
  });

  test('takes the first of two types that claim a word, and each by its group', () => {
    const first = aType('first.io', 'Widget', { shortNames: ['w'] });
    const second = aType('second.io', 'Widget', { shortNames: ['w', 'wd'] });
    const both = new ResourceTypes([first, second]);
    expect(['widget', 'widgets', 'w'].map((word) => both.resolve(word))).toEqual([first, first, first]);
    expect(['widgets.second.io', 'w.second.io', 'wd'].map((word) => both.resolve(word))).toEqual([
      second,
      second,
      second,
    ]);
  });

  test('never lets a short name hide the name of another type', () => {
    const greedy = aType('a.io', 'Greedy', { shortNames: ['widgets', 'widget'] });
    const widget = aType('b.io', 'Widget');
    expect(new ResourceTypes([greedy, widget]).resolve('widgets')).toBe(widget);
  });

  test('takes the first version of a kind for the preferred one', () => {
    const preferred = aType('a.io', 'Widget', { version: 'v2' });
    const older = aType('a.io', 'Widget', { version: 'v1' });
    const both = new ResourceTypes([preferred, older]);
    expect(both.resolve('widgets')).toBe(preferred);
    expect(both.resolve('widgets.v1.a.io')).toBe(older);
    expect(both.find({ group: 'a.io', kind: 'Widget' })).toBe(preferred);
    expect(both.all()).toEqual([preferred]);
  });
});

test('find goes by group and kind', () => {
  expect(types.find({ group: 'ceph.rook.io', kind: 'CephBlockPool' })).toBe(Kinds.CephBlockPool);
  expect(types.find({ group: '', kind: 'CephBlockPool' })).toBeUndefined();
});

describe('the known types', () => {
  test('have the 19 kinds of Rook, all in namespaces', () => {
    expect(ROOK_KINDS).toHaveLength(19);
    expect(ROOK_KINDS.every((kind) => kind.namespaced && isRookKind(kind))).toBe(true);
    expect(isRookKind(Kinds.ClientProfile)).toBe(false);
  });

  test('have no two claims to a plural or short name', () => {
    const words = KNOWN_TYPES.flatMap(({ plural, shortNames }) => [plural, ...shortNames]);
    expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
  });

  test('tell which kinds have no namespace', () => {
    expect(KNOWN_TYPES.filter(({ namespaced }) => !namespaced).map(({ kind }) => kind)).toEqual([
      'ObjectBucket',
      'Bucket',
      'VolumeSnapshotContent',
      'CriticalService',
      'ClusterUsage',
      'StorageComposite',
      'StorageClass',
      'VolumeAttachment',
      'PersistentVolume',
      'Node',
    ]);
  });
});
