import { describe, test } from 'vitest';
import { Kinds, type ResourceType } from '#pkg/object';
import { anObject } from '#test/fixtures/objects.ts';
import { expectEdges } from '#test/fixtures/rule-rows.ts';

interface Case {
  readonly code: string;
  readonly id: string;
  readonly reads: ResourceType;
  readonly target: ResourceType;
  readonly field: string;
  readonly spec: (name: unknown) => unknown;
}

const CASES: readonly Case[] = [
  {
    code: 'RD002',
    id: 'E2',
    reads: Kinds.CephBlockPoolRadosNamespace,
    target: Kinds.CephBlockPool,
    field: 'spec.blockPoolName',
    spec: (blockPoolName) => ({ blockPoolName }),
  },
  {
    code: 'RD003',
    id: 'E3',
    reads: Kinds.CephFilesystemSubVolumeGroup,
    target: Kinds.CephFilesystem,
    field: 'spec.filesystemName',
    spec: (filesystemName) => ({ filesystemName }),
  },
  {
    code: 'RD005',
    id: 'E5',
    reads: Kinds.CephObjectStoreAccount,
    target: Kinds.CephObjectStore,
    field: 'spec.store',
    spec: (store) => ({ store }),
  },
  {
    code: 'RD006',
    id: 'E6',
    reads: Kinds.CephObjectStoreUser,
    target: Kinds.CephObjectStoreAccount,
    field: 'spec.accountRef.name',
    spec: (name) => ({ store: 'elsewhere', accountRef: { name } }),
  },
  {
    code: 'RD008',
    id: 'E8',
    reads: Kinds.CephBucketNotification,
    target: Kinds.CephBucketTopic,
    field: 'spec.topic',
    spec: (topic) => ({ topic }),
  },
  {
    code: 'RD010',
    id: 'E10',
    reads: Kinds.CephObjectStore,
    target: Kinds.CephObjectZone,
    field: 'spec.zone.name',
    spec: (name) => ({ zone: { name } }),
  },
  {
    code: 'RD011',
    id: 'E11',
    reads: Kinds.CephObjectZone,
    target: Kinds.CephObjectZoneGroup,
    field: 'spec.zoneGroup',
    spec: (zoneGroup) => ({ zoneGroup }),
  },
  {
    code: 'RD012',
    id: 'E12',
    reads: Kinds.CephObjectZoneGroup,
    target: Kinds.CephObjectRealm,
    field: 'spec.realm',
    spec: (realm) => ({ realm }),
  },
];

describe.for(CASES)('$code ($id)', ({ code, reads, target, field, spec }) => {
  const dependent = anObject(reads, 'a', { spec: spec('b') });
  const edge = `${reads.kind} rook-ceph/a → ${target.kind} rook-ceph/b at ${field}`;

  test('leads to the named resource, and to no other', () => {
    const others = ['b-2', 'a', 'B'].map((name) => anObject(target, name));
    expectEdges(code, { objects: [dependent, anObject(target, 'b'), ...others], edges: [edge] });
  });

  test('stays in the namespace', () => {
    const elsewhere = anObject(target, 'b', { namespace: 'other' });
    expectEdges(code, { objects: [dependent, elsewhere], edges: [edge] });
  });

  test('keeps the mention of a resource that is missing', () => {
    expectEdges(code, { objects: [dependent], edges: [edge] });
  });

  test.for([{ value: '' }, { value: undefined }, { value: 7 }, { value: ['b'] }, { value: { name: 'b' } }])(
    'finds nothing in $value',
    ({ value }) => {
      const broken = anObject(reads, 'a', { spec: spec(value) });
      expectEdges(code, { objects: [broken, anObject(target, 'b'), anObject(target, '7')], edges: [] });
    },
  );
});

test('RD002 (E2) names the resource, not the pool inside Ceph', () => {
  const namespace = anObject(Kinds.CephBlockPoolRadosNamespace, 'a', { spec: { blockPoolName: 'builtin' } });
  const named = anObject(Kinds.CephBlockPool, 'builtin', { spec: { name: '.mgr' } });
  expectEdges('RD002', {
    objects: [namespace, named],
    edges: [
      'CephBlockPoolRadosNamespace rook-ceph/a → CephBlockPool rook-ceph/builtin at spec.blockPoolName',
    ],
  });
  const byCephName = anObject(Kinds.CephBlockPoolRadosNamespace, 'a', { spec: { blockPoolName: '.mgr' } });
  expectEdges('RD002', {
    objects: [byCephName, named],
    edges: ['CephBlockPoolRadosNamespace rook-ceph/a → CephBlockPool rook-ceph/.mgr at spec.blockPoolName'],
  });
});
