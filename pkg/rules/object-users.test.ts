import { test } from 'vitest';
import { Kinds } from '#pkg/object';
import { anObject, aStore, type Parts } from '#test/fixtures/objects.ts';
import { expectEdges, type RuleRow } from '#test/fixtures/rule-rows.ts';

const aUser = (name: string, spec: unknown, parts: Parts = {}) =>
  anObject(Kinds.CephObjectStoreUser, name, { ...parts, spec });
const aTopic = (name: string, spec: unknown, parts: Parts = {}) =>
  anObject(Kinds.CephBucketTopic, name, { ...parts, spec });
const aClaim = (labels: Record<string, string>, parts: Parts = {}) =>
  anObject(Kinds.ObjectBucketClaim, 'claim', { namespace: 'apps', ...parts, labels });
const aNotification = (name: string, namespace = 'apps') =>
  anObject(Kinds.CephBucketNotification, name, { namespace });

test.for<RuleRow>([
  {
    name: 'leads to the store in the own namespace',
    objects: [aUser('u', { store: 's' }), aStore('s'), aStore('s2'), aStore('s', { namespace: 'other' })],
    edges: ['CephObjectStoreUser rook-ceph/u → CephObjectStore rook-ceph/s at spec.store'],
  },
  {
    name: 'leads to the store in spec.clusterNamespace',
    objects: [
      aUser('u', { store: 's', clusterNamespace: 'rook-ceph' }, { namespace: 'apps' }),
      aStore('s'),
      aStore('s', { namespace: 'apps' }),
    ],
    edges: ['CephObjectStoreUser apps/u → CephObjectStore rook-ceph/s at spec.store'],
  },
  {
    name: 'takes an empty clusterNamespace for the own one',
    objects: [aUser('u', { store: 's', clusterNamespace: '' }), aStore('s')],
    edges: ['CephObjectStoreUser rook-ceph/u → CephObjectStore rook-ceph/s at spec.store'],
  },
  {
    name: 'keeps the mention of a store that is missing',
    objects: [aUser('u', { store: 's' })],
    edges: ['CephObjectStoreUser rook-ceph/u → CephObjectStore rook-ceph/s at spec.store'],
  },
  { name: 'finds nothing without a store', objects: [aUser('u', { store: '' }), aStore('u')], edges: [] },
])('RD004 (E4) $name', (row) => {
  expectEdges('RD004', row);
});

test.for<RuleRow>([
  {
    name: 'leads to the store in the named namespace',
    objects: [
      aTopic('t', { objectStoreName: 's', objectStoreNamespace: 'rook-ceph' }, { namespace: 'apps' }),
      aStore('s'),
      aStore('s', { namespace: 'apps' }),
      aStore('s-2'),
    ],
    edges: ['CephBucketTopic apps/t → CephObjectStore rook-ceph/s at spec.objectStoreName'],
  },
  {
    name: 'leads to the own namespace when none is named',
    objects: [aTopic('t', { objectStoreName: 's' }), aStore('s')],
    edges: ['CephBucketTopic rook-ceph/t → CephObjectStore rook-ceph/s at spec.objectStoreName'],
  },
  {
    name: 'keeps the mention of a store that is missing',
    objects: [aTopic('t', { objectStoreName: 's', objectStoreNamespace: 'gone' })],
    edges: ['CephBucketTopic rook-ceph/t → CephObjectStore gone/s at spec.objectStoreName'],
  },
  {
    name: 'finds nothing in a namespace alone',
    objects: [aTopic('t', { objectStoreNamespace: 'rook-ceph' }), aStore('t')],
    edges: [],
  },
])('RD007 (E7) $name', (row) => {
  expectEdges('RD007', row);
});

test.for<RuleRow>([
  {
    name: 'reads every label of the form',
    objects: [
      aClaim({ 'bucket-notification-a': 'a', 'bucket-notification-b': 'b' }),
      aNotification('a'),
      aNotification('b'),
      aNotification('c'),
    ],
    edges: [
      'ObjectBucketClaim apps/claim → CephBucketNotification apps/a at metadata.labels.bucket-notification-a',
      'ObjectBucketClaim apps/claim → CephBucketNotification apps/b at metadata.labels.bucket-notification-b',
    ],
  },
  {
    name: 'does not take a label whose value differs from its name',
    objects: [aClaim({ 'bucket-notification-a': 'b' }), aNotification('a'), aNotification('b')],
    edges: [],
  },
  {
    name: 'does not take a label that only begins alike',
    objects: [
      aClaim({ 'bucket-notification-': '', 'bucket-notification': 'a', 'x-bucket-notification-a': 'a' }),
      aNotification('a'),
    ],
    edges: [],
  },
  {
    name: 'stays in the namespace of the claim',
    objects: [aClaim({ 'bucket-notification-a': 'a' }), aNotification('a', 'rook-ceph')],
    edges: [
      'ObjectBucketClaim apps/claim → CephBucketNotification apps/a at metadata.labels.bucket-notification-a',
    ],
  },
  { name: 'finds nothing without labels', objects: [aClaim({}), aNotification('a')], edges: [] },
])('RD009 (E9) $name', (row) => {
  expectEdges('RD009', row);
});
