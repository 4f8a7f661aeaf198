import { describe, expect, test } from 'vitest';
import { Kinds, type KubeObject, type OwnerReference, type ResourceType } from '#pkg/object';
import { aFilesystem, anObject } from '#test/fixtures/objects.ts';
import { edgesOf, expectEdges, type RuleRow } from '#test/fixtures/rule-rows.ts';

const crossplane = (kind: string, namespaced: boolean): ResourceType => ({
  group: 'example.org',
  version: 'v1',
  kind,
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  shortNames: [],
  namespaced,
});
const CLAIM = crossplane('Share', true);
const COMPOSITE = crossplane('XShare', false);
const named = (kind: string, name: string, namespace?: string): object => ({
  apiVersion: 'example.org/v1',
  kind,
  name,
  ...(namespace ? { namespace } : {}),
});
const claim = (resourceRef: object): KubeObject =>
  anObject(CLAIM, 'mine', { namespace: 'team', spec: { resourceRef } });
const composite = (spec: object): KubeObject => anObject(COMPOSITE, 'mine-x', { uid: '1', spec });
const fs = { apiVersion: 'ceph.rook.io/v1', kind: 'CephFilesystem', name: 'fs', namespace: 'rook-ceph' };
const owner = (more: Partial<OwnerReference>): OwnerReference => ({
  apiVersion: 'example.org/v1',
  kind: 'XShare',
  name: 'mine-x',
  uid: '1',
  ...more,
});

const claimed: readonly RuleRow[] = [
  {
    name: "a composite of Crossplane's goes with its claim",
    objects: [claim(named('XShare', 'mine-x')), composite({ claimRef: named('Share', 'mine', 'team') })],
    edges: ['shown: XShare mine-x → Share team/mine at spec.claimRef'],
  },
  {
    name: 'a StorageComposite goes with its claim',
    objects: [
      anObject(Kinds.StorageClaim, 'c', { namespace: 'team', spec: { compositeRef: { name: 's' } } }),
      anObject(Kinds.StorageComposite, 's', {
        spec: {
          claimRef: {
            apiVersion: 'rook-deps.io/v1alpha1',
            kind: 'StorageClaim',
            namespace: 'team',
            name: 'c',
          },
        },
      }),
    ],
    edges: ['shown: StorageComposite s → StorageClaim team/c at spec.claimRef'],
  },
  {
    name: 'a StorageComposite that is bound to an earlier claim of the name does not go with this one',
    objects: [
      anObject(Kinds.StorageClaim, 'c', {
        namespace: 'team',
        uid: 'now',
        spec: { compositeRef: { name: 's' } },
      }),
      anObject(Kinds.StorageComposite, 's', {
        spec: {
          claimRef: {
            apiVersion: 'rook-deps.io/v1alpha1',
            kind: 'StorageClaim',
            namespace: 'team',
            name: 'c',
            uid: 'then',
          },
        },
      }),
    ],
    edges: [],
  },
  {
    name: 'a claim that has another composite does not count',
    objects: [claim(named('XShare', 'other')), composite({ claimRef: named('Share', 'mine', 'team') })],
    edges: [],
  },
  {
    name: 'a claim of the same name in another namespace does not count',
    objects: [claim(named('XShare', 'mine-x')), composite({ claimRef: named('Share', 'mine', 'there') })],
    edges: [],
  },
  {
    name: 'the claim of a volume is another matter',
    objects: [
      anObject(Kinds.PersistentVolumeClaim, 'c', { spec: { volumeName: 'v' } }),
      anObject(Kinds.PersistentVolume, 'v', {
        spec: {
          claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'rook-ceph', name: 'c' },
        },
      }),
    ],
    edges: [],
  },
];

test.for(claimed)('RD061: $name', (row) => expectEdges('RD061', row));

const composed: readonly RuleRow[] = [
  {
    name: 'a resource without an owner is tied to its composite by name alone',
    objects: [composite({ resourceRefs: [fs] }), aFilesystem('fs')],
    edges: ['shown: CephFilesystem rook-ceph/fs → XShare mine-x at spec.resourceRefs[0]'],
  },
  {
    name: 'composites of the second generation name them elsewhere',
    objects: [composite({ crossplane: { resourceRefs: [{ ...fs, name: 'no' }, fs] } }), aFilesystem('fs')],
    edges: ['shown: CephFilesystem rook-ceph/fs → XShare mine-x at spec.crossplane.resourceRefs[1]'],
  },
  {
    name: 'a resource with an owner reference is told by that',
    objects: [composite({ resourceRefs: [fs] }), aFilesystem('fs', { ownerReferences: [owner({})] })],
    edges: [],
  },
  {
    name: 'malformed references are none',
    objects: [
      composite({ resourceRefs: [null, 'fs', { name: 'fs' }, { ...fs, kind: 7 }] }),
      aFilesystem('fs'),
    ],
    edges: [],
  },
];

test.for(composed)('RD060: $name', (row) => expectEdges('RD060', row));

describe('a controller', () => {
  const codesOf = (more: Partial<OwnerReference>): readonly string[] =>
    ['RD030', 'RD062'].filter(
      (code) =>
        edgesOf(code, [composite({}), aFilesystem('fs', { ownerReferences: [owner(more)] })]).length > 0,
    );

  test('that a foreground deletion would not keep is told apart', () => {
    expect(codesOf({ controller: true })).toEqual(['RD062']);
    expect(codesOf({ controller: true, blockOwnerDeletion: false })).toEqual(['RD062']);
    expect(codesOf({ controller: true, blockOwnerDeletion: true })).toEqual(['RD030']);
    expect(codesOf({})).toEqual(['RD030']);
  });
});
