import { test } from 'vitest';
import { Kinds } from '#pkg/object';
import { anObject, aStore, type Parts } from '#test/fixtures/objects.ts';
import { expectEdges, type RuleRow } from '#test/fixtures/rule-rows.ts';

const SECRET = 'rook-ceph-object-user-s-u';
const aBucket = (parameters: unknown) => anObject(Kinds.CosiBucket, 'b', { spec: { parameters } });
const bucket = aBucket({ objectStoreUserSecretName: SECRET, objectStoreUserSecretNamespace: 'rook-ceph' });
const nowhere = aBucket({ objectStoreUserSecretName: SECRET });
const aSecret = (labels: Record<string, string>, parts: Parts = {}) =>
  anObject(Kinds.Secret, SECRET, { ...parts, labels });
const aUser = (name: string, spec: unknown, parts: Parts = {}) =>
  anObject(Kinds.CephObjectStoreUser, name, { ...parts, spec });
const to = (store: string) =>
  `Bucket b → CephObjectStore ${store} at spec.parameters.objectStoreUserSecretName`;

test.for<RuleRow>([
  {
    name: 'follows the label of the Secret',
    objects: [bucket, aSecret({ rook_object_store: 's' }), aStore('s'), aStore('s2')],
    edges: [to('rook-ceph/s')],
  },
  {
    name: 'follows the user whose Secret it is',
    objects: [bucket, aUser('u', { store: 's' }), aUser('u2', { store: 's2' }), aStore('s'), aStore('s2')],
    edges: [to('rook-ceph/s')],
  },
  {
    name: 'follows the user to a store in another namespace, whatever the label says',
    objects: [
      bucket,
      aUser('u', { store: 's', clusterNamespace: 'other' }),
      aSecret({ rook_object_store: 's' }),
      aStore('s'),
      aStore('s', { namespace: 'other' }),
    ],
    edges: [to('other/s')],
  },
  {
    name: 'finds the user of a Secret in another namespace',
    objects: [
      aBucket({ objectStoreUserSecretName: SECRET, objectStoreUserSecretNamespace: 'apps' }),
      aUser('u', { store: 's', clusterNamespace: 'rook-ceph' }, { namespace: 'apps' }),
      aStore('s'),
    ],
    edges: [to('rook-ceph/s')],
  },
  {
    name: 'does not take a Secret without the label',
    objects: [bucket, aSecret({ app: 'rook-ceph-rgw' }), aStore('s')],
    edges: [],
  },
  {
    name: 'does not take a Secret of the same name in another namespace',
    objects: [bucket, aSecret({ rook_object_store: 's' }, { namespace: 'other' }), aStore('s')],
    edges: [],
  },
  {
    name: 'does not take a user of the same name in another namespace',
    objects: [bucket, aUser('u', { store: 's' }, { namespace: 'other' }), aStore('s')],
    edges: [],
  },
  { name: 'finds nothing when the Secret is missing', objects: [bucket, aStore('s')], edges: [] },
  {
    name: 'finds the one user of the Secret without its namespace',
    objects: [nowhere, aUser('u', { store: 's' }), aUser('v', { store: 's2' }), aStore('s'), aStore('s2')],
    edges: [to('rook-ceph/s')],
  },
  {
    name: 'finds the one Secret with the label without its namespace',
    objects: [nowhere, aSecret({ rook_object_store: 's' }), aUser('u', { store: 's3' }), aStore('s')],
    edges: [to('rook-ceph/s')],
  },
  {
    name: 'chooses none of two users in two namespaces',
    objects: [
      nowhere,
      aUser('u', { store: 's' }),
      aUser('u', { store: 's' }, { namespace: 'other' }),
      aStore('s'),
    ],
    edges: [],
  },
  {
    name: 'finds nothing without the name of the Secret',
    objects: [aBucket({}), aUser('u', { store: 's' }), aSecret({ rook_object_store: 's' }), aStore('s')],
    edges: [],
  },
])('RD026 (E26) $name', (row) => {
  expectEdges('RD026', row);
});
