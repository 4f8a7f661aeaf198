import { describe, expect, test } from 'vitest';
import { Kinds } from '#pkg/object';
import { aFilesystem, anObject } from '#test/fixtures/objects.ts';
import { contains } from './drift.ts';
import { readinessOf } from './readiness.ts';
import { templateProblem, typeProblem } from './template.ts';

const content = (more: object): Record<string, unknown> => ({ apiVersion: 'v1', kind: 'ConfigMap', ...more });

test.for([
  { name: 'nothing but a kind', more: {}, field: undefined },
  { name: 'labels', more: { metadata: { name: 'a', labels: { a: 'b' } } }, field: undefined },
  { name: 'owners', more: { metadata: { ownerReferences: [] } }, field: 'metadata.ownerReferences' },
  { name: 'finalizers', more: { metadata: { finalizers: [] } }, field: 'metadata.finalizers' },
  { name: 'a UID', more: { metadata: { uid: 'x' } }, field: 'metadata.uid' },
  { name: 'a name of several lines', more: { metadata: { name: 'a\nb' } }, field: 'metadata.name' },
  { name: 'a name that is a number', more: { metadata: { name: 7 } }, field: 'metadata.name' },
  {
    name: 'a label of ours',
    more: { metadata: { labels: { 'rook-deps.io/in-use': 'true' } } },
    field: 'metadata.labels',
  },
  { name: 'a label that is a number', more: { metadata: { labels: { a: 1 } } }, field: 'metadata.labels' },
  { name: 'metadata that are a text', more: { metadata: 'x' }, field: 'metadata' },
  { name: 'a status', more: { status: {} }, field: 'status' },
  { name: 'no kind', more: { kind: '' }, field: 'kind' },
  { name: 'two slashes', more: { apiVersion: 'a/b/c' }, field: 'apiVersion' },
  { name: 'rights', more: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' }, field: 'kind' },
])('a template with $name has its problem at $field', ({ more, field }) => {
  expect(templateProblem({ name: 't', content: content(more) })?.field).toBe(field);
});

test('a namespace goes with namespaced kinds alone', () => {
  const at = (namespace?: string) => ({ name: 't', content: content({ metadata: { namespace } }) });
  expect(typeProblem(at('here'), Kinds.ConfigMap)).toBeUndefined();
  expect(typeProblem(at(), Kinds.ConfigMap)?.field).toBe('metadata.namespace');
  expect(typeProblem(at('here'), Kinds.PersistentVolume)?.field).toBe('metadata.namespace');
  expect(typeProblem(at('here'), undefined)?.message).toContain(`doesn't have a kind "ConfigMap"`);
});

describe('what is there contains what is wanted', () => {
  test.for([
    { live: { a: 1, b: 2 }, wanted: { a: 1 }, is: true },
    { live: { a: 1 }, wanted: { a: 2 }, is: false },
    { live: { a: [{ b: 1, c: 2 }] }, wanted: { a: [{ b: 1 }] }, is: true },
    { live: { a: [1, 2] }, wanted: { a: [1] }, is: false },
    { live: {}, wanted: { a: {} }, is: true },
    { live: {}, wanted: { a: [] }, is: true },
    { live: {}, wanted: { a: { b: 1 } }, is: false },
    { live: { a: 1 }, wanted: { b: null }, is: true },
  ])('$live, $wanted: $is', ({ live, wanted, is }) => expect(contains(live, wanted)).toBe(is));
});

describe('an object is ready', () => {
  const conditions = (status: string) => ({ conditions: [{ type: 'Ready', status, reason: 'Why' }] });
  test.for([
    { name: 'by its condition', object: aFilesystem('f', { status: conditions('True') }), is: true },
    {
      name: 'not against its condition',
      object: aFilesystem('f', { status: { phase: 'Ready', ...conditions('False') } }),
      is: false,
    },
    { name: 'by its phase', object: aFilesystem('f', { status: { phase: 'Ready' } }), is: true },
    {
      name: 'not in another phase',
      object: aFilesystem('f', { status: { phase: 'Progressing' } }),
      is: false,
    },
    { name: 'not before Rook has looked at it', object: aFilesystem('f'), is: false },
    { name: 'not before we have', object: anObject(Kinds.StorageComposite, 'inner'), is: false },
    {
      name: 'by being there, where nothing more can be told',
      object: anObject(Kinds.ConfigMap, 'c'),
      is: true,
    },
    {
      name: 'not when it goes',
      object: anObject(Kinds.ConfigMap, 'c', { deletionTimestamp: 'now' }),
      is: false,
    },
  ])('$name: $is', ({ object, is }) => expect(readinessOf(object).isReady).toBe(is));
});
