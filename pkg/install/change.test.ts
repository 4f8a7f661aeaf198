import { describe, expect, test } from 'vitest';
import type { KubeObject, ManagedFieldsEntry } from '#pkg/object';
import { isSettled, nameOf, wordFor } from './change.ts';

function map(data: object, metadata: object = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', ...metadata }, data };
}

function entry(manager: string, fieldsV1: object, time: string): ManagedFieldsEntry {
  return { manager, operation: 'Apply', fieldsV1, time };
}

test.for([
  { name: 'nothing before', before: undefined, after: map({ a: 1 }), word: 'created' },
  { name: 'other content', before: map({ a: 1 }), after: map({ a: 2 }), word: 'configured' },
  { name: 'another label', before: map({}), after: map({}, { labels: { a: 'b' } }), word: 'configured' },
  { name: 'another order', before: map({ a: 1, b: 2 }), after: map({ b: 2, a: 1 }), word: 'unchanged' },
  {
    name: 'another version only',
    before: map({}, { resourceVersion: '1' }),
    after: map({}, { resourceVersion: '2', generation: 2 }),
    word: 'unchanged',
  },
  {
    name: 'another status only',
    before: map({}),
    after: { ...map({}), status: { ready: true } },
    word: 'unchanged',
  },
])('$name is called $word', ({ before, after, word }) => {
  expect(wordFor(before, after)).toBe(word);
});

describe('an apply changes nothing', () => {
  const ours = { 'f:data': {} };
  test('when only times and the order of managers differ', () => {
    const one = entry('rook-deps-install', ours, '1');
    const two = entry('other', {}, '1');
    const before = map({}, { managedFields: [one, two] });
    expect(isSettled(before, map({}, { managedFields: [two, { ...one, time: '2' }] }))).toBe(true);
  });

  test('but not when our fields differ, even with equal content', () => {
    const before = map({}, { managedFields: [entry('rook-deps-install', ours, '1')] });
    const after = map({}, { managedFields: [entry('rook-deps-install', {}, '1')] });
    expect(isSettled(before, after)).toBe(false);
  });
});

test('objects are named as kubectl names them', () => {
  expect(nameOf(map({}))).toBe('configmap/m');
  expect(nameOf({ ...map({}), apiVersion: 'apps/v1', kind: 'Deployment' })).toBe('deployment.apps/m');
});
