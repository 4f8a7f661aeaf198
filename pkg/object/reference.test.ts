import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareRefs, compareText, groupOf, keyOf, kindKey, sameKind, type ObjectRef } from './reference.ts';

const part = fc.string({ unit: fc.constantFrom('a', 'b', '.', '-'), maxLength: 3 });
const anyRef: fc.Arbitrary<ObjectRef> = fc.record(
  { group: part, kind: part, namespace: part.filter((text) => text !== ''), name: part },
  { requiredKeys: ['group', 'kind', 'name'] },
);

describe('keyOf', () => {
  test('joins all parts, and keeps the place of an empty one', () => {
    expect(keyOf({ group: 'ceph.rook.io', kind: 'CephBlockPool', namespace: 'ns', name: 'p' })).toBe(
      'ceph.rook.io/CephBlockPool/ns/p',
    );
    expect(keyOf({ group: '', kind: 'PersistentVolume', name: 'v' })).toBe('/PersistentVolume//v');
  });

  test('differs for different references', () => {
    fc.assert(
      fc.property(anyRef, anyRef, (a, b) => {
        expect(keyOf(a) === keyOf(b)).toBe(compareRefs(a, b) === 0);
      }),
    );
  });
});

test('kinds are the same by group and name', () => {
  const pool = { group: 'ceph.rook.io', kind: 'CephBlockPool' };
  expect(sameKind(pool, { ...pool })).toBe(true);
  expect(sameKind(pool, { ...pool, group: '' })).toBe(false);
  expect(sameKind(pool, { ...pool, kind: 'CephFilesystem' })).toBe(false);
  expect(kindKey(pool)).toBe('ceph.rook.io/CephBlockPool');
});

test.for([
  ['ceph.rook.io/v1', 'ceph.rook.io'],
  ['v1', ''],
  ['', ''],
] as const)('the group of %j is %j', ([apiVersion, group]) => {
  expect(groupOf(apiVersion)).toBe(group);
});

test('references sort by kind, group, namespace and name, in plain order', () => {
  const ref = (kind: string, group: string, namespace: string | undefined, name: string): ObjectRef => ({
    kind,
    group,
    namespace,
    name,
  });
  const sorted = [
    ref('A', 'z', undefined, 'z'),
    ref('B', 'a', 'n', 'z'),
    ref('B', 'b', undefined, 'z'),
    ref('B', 'b', 'm', 'Z'),
    ref('B', 'b', 'm', 'a'),
    ref('B', 'b', 'm', 'a10'),
    ref('B', 'b', 'm', 'a9'),
    ref('B', 'b', 'm', 'ä'),
    ref('B', 'b', 'n', 'a'),
  ];
  expect(sorted.toReversed().sort(compareRefs)).toEqual(sorted);
  expect(compareText('a', 'a')).toBe(0);
});
