import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isTerminating, refOf } from './object.ts';
import { parseObject } from './parse-object.ts';

const withMetadata = (metadata: unknown) => ({ apiVersion: 'v1', kind: 'Pod', metadata });

describe('parseObject', () => {
  test('takes null for unset', () => {
    const nulls = {
      labels: null,
      finalizers: null,
      ownerReferences: null,
      namespace: null,
      deletionTimestamp: null,
    };
    const object = parseObject(withMetadata({ name: 'p', ...nulls }));
    expect(object).toEqual(withMetadata({ name: 'p' }));
  });

  test.for([
    { name: 'the least there may be', value: withMetadata({ name: 'p' }) },
    {
      name: 'whole metadata',
      value: withMetadata({
        name: 'p',
        namespace: 'n',
        uid: 'u',
        deletionTimestamp: '2026-01-01T00:00:00Z',
        labels: { a: 'b' },
        annotations: {},
        finalizers: ['x'],
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'o', uid: 'u' }],
      }),
    },
    { name: 'any spec', value: { ...withMetadata({ name: 'p' }), spec: 'text' } },
  ])('takes $name', ({ value }) => {
    expect(parseObject(value)).toBe(value);
  });

  test.for([
    { value: undefined, problem: 'not a Kubernetes object' },
    { value: null, problem: 'not a Kubernetes object' },
    { value: [], problem: 'not a Kubernetes object' },
    { value: 'text', problem: 'not a Kubernetes object' },
    { value: {}, problem: `Object 'apiVersion' is missing` },
    { value: { apiVersion: 1, kind: 'Pod' }, problem: `Object 'apiVersion' is missing` },
    { value: { apiVersion: 'v1' }, problem: `Object 'Kind' is missing` },
    { value: { apiVersion: 'v1', kind: '' }, problem: `Object 'Kind' is missing` },
    { value: withMetadata(undefined), problem: 'Pod has no metadata' },
    { value: withMetadata([]), problem: 'Pod has no metadata' },
    { value: withMetadata({}), problem: 'Pod has no metadata.name' },
    { value: withMetadata({ name: '' }), problem: 'Pod has no metadata.name' },
    { value: withMetadata({ name: 7 }), problem: 'Pod has no metadata.name' },
  ])('says of $value: $problem', ({ value, problem }) => {
    expect(parseObject(value)).toBe(problem);
  });

  test.for([
    { namespace: 1 },
    { uid: {} },
    { deletionTimestamp: true },
    { labels: 'a=b' },
    { labels: { a: 1 } },
    { annotations: ['a'] },
    { finalizers: 'x' },
    { finalizers: [1] },
    { ownerReferences: {} },
    { ownerReferences: ['o'] },
    { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod' }] },
  ])('refuses %j', (part) => {
    const [field = ''] = Object.keys(part);
    expect(parseObject(withMetadata({ name: 'p', ...part }))).toContain(`metadata.${field}`);
  });

  test('never throws, and what it takes has a name', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const candidate of [value, withMetadata(value)]) {
          const parsed = parseObject(candidate);
          if (typeof parsed !== 'string') expect(refOf(parsed).name).not.toBe('');
        }
      }),
    );
  });
});

test('a reference has a namespace only where there is one', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n' } };
  expect(refOf(pod)).toStrictEqual({ group: '', kind: 'Pod', namespace: 'n', name: 'p' });
  const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'v', namespace: '' } };
  expect(refOf(volume)).toStrictEqual({ group: '', kind: 'PersistentVolume', name: 'v' });
  const pool = { apiVersion: 'ceph.rook.io/v1', kind: 'CephBlockPool', metadata: { name: 'p' } };
  expect(refOf(pool).group).toBe('ceph.rook.io');
});

test('an object terminates once it has a deletion timestamp', () => {
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } };
  expect(isTerminating(object)).toBe(false);
  const going = { ...object, metadata: { name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z' } };
  expect(isTerminating(going)).toBe(true);
});
