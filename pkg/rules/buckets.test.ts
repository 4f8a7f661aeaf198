import { test } from 'vitest';
import { Kinds } from '#pkg/object';
import { aClass, anObject, aStore, type Parts } from '#test/fixtures/objects.ts';
import { expectEdges, type RuleRow } from '#test/fixtures/rule-rows.ts';

const PROVISIONER = 'rook-ceph.ceph.rook.io/bucket';
const HOST = 'rook-ceph-rgw-s.rook-ceph.svc';
const STORE = { objectStoreName: 's', objectStoreNamespace: 'rook-ceph' };

const aBucket = (spec: unknown, parts: Parts = {}) => anObject(Kinds.ObjectBucket, 'ob', { ...parts, spec });
const aClaim = (spec: unknown) => anObject(Kinds.ObjectBucketClaim, 'obc', { namespace: 'apps', spec });
const aCosiBucket = (spec: unknown) => anObject(Kinds.CosiBucket, 'bucket', { spec });
const anAccess = (spec: unknown) => anObject(Kinds.CosiBucketAccess, 'access', { namespace: 'apps', spec });
const aCosiClaim = (name: string, namespace = 'apps') => anObject(Kinds.CosiBucketClaim, name, { namespace });
const strangers = [aStore('s2'), aStore('s', { namespace: 'other' }), aStore('ob')];

const viaClass = (key: string) => `shown: StorageClass sc → CephObjectStore rook-ceph/s at parameters.${key}`;

test.for<RuleRow>([
  ...[PROVISIONER, 'ceph.rook.io/bucket', 'my.prefix.ceph.rook.io/bucket'].map((provisioner) => ({
    name: `knows the provisioner ${provisioner}`,
    objects: [aClass('sc', provisioner, STORE), aStore('s'), ...strangers],
    edges: [viaClass('objectStoreName')],
  })),
  ...['ceph.rook.io/bucket.evil', 'xceph.rook.io/bucket', 'rook-ceph.rbd.csi.ceph.com'].map(
    (provisioner) => ({
      name: `leaves ${provisioner} alone`,
      objects: [aClass('sc', provisioner, STORE), aStore('s')],
      edges: [],
    }),
  ),
  ...[
    HOST,
    `${HOST}:80`,
    'rook-ceph-rgw-s.rook-ceph',
    'rook-ceph-rgw-s.rook-ceph:8080',
    `${HOST}.cluster.local`,
    `${HOST}.cluster.local:80`,
    `http://${HOST}.my.domain.:80/`,
  ].map((endpoint) => ({
    name: `reads the endpoint ${endpoint}`,
    objects: [aClass('sc', PROVISIONER, { endpoint }), aStore('s'), ...strangers],
    edges: [viaClass('endpoint')],
  })),
  ...[
    '192.0.2.1:80',
    'rook-ceph-rgw-s',
    'rook-ceph-rgw-s.rook-ceph.example',
    `x.${HOST}`,
    's.rook-ceph.svc',
    '',
  ].map((endpoint) => ({
    name: `finds nothing at the endpoint ${JSON.stringify(endpoint)}`,
    objects: [aClass('sc', PROVISIONER, { endpoint }), aStore('s')],
    edges: [],
  })),
  {
    name: 'keeps the mention of a store that is missing',
    objects: [aClass('sc', PROVISIONER, STORE)],
    edges: [viaClass('objectStoreName')],
  },
  {
    name: 'finds nothing without the namespace',
    objects: [aClass('sc', PROVISIONER, { objectStoreName: 's' }), aStore('s')],
    edges: [],
  },
])('RD022 (E22) $name', (row) => {
  expectEdges('RD022', row);
});

test.for<RuleRow>([
  {
    name: 'reads the state that the provisioner left on the bucket',
    objects: [aBucket({ additionalState: STORE }), aStore('s'), ...strangers],
    edges: ['ObjectBucket ob → CephObjectStore rook-ceph/s at spec.additionalState.objectStoreName'],
  },
  {
    name: 'reads the host of older buckets',
    objects: [
      aBucket({ additionalState: { objectStoreName: '' }, endpoint: { bucketHost: HOST } }),
      aStore('s'),
      ...strangers,
    ],
    edges: ['ObjectBucket ob → CephObjectStore rook-ceph/s at spec.endpoint.bucketHost'],
  },
  ...['rook-ceph-rgw-s.rook-ceph', `${HOST}.cluster.local`].map((bucketHost) => ({
    name: `reads the host ${bucketHost}`,
    objects: [aBucket({ endpoint: { bucketHost } }), aStore('s'), ...strangers],
    edges: ['ObjectBucket ob → CephObjectStore rook-ceph/s at spec.endpoint.bucketHost'],
  })),
  {
    name: 'leads a bucket, and its claim, through the class when the host tells nothing',
    objects: [
      aBucket({ endpoint: { bucketHost: 's3.example' }, storageClassName: 'sc' }),
      aClaim({ objectBucketName: 'ob' }),
      aClass('sc', PROVISIONER, STORE),
      aStore('s'),
      ...strangers,
    ],
    edges: [
      'ObjectBucket ob → CephObjectStore rook-ceph/s at spec.storageClassName',
      'ObjectBucketClaim apps/obc → CephObjectStore rook-ceph/s at spec.objectBucketName',
    ],
  },
  {
    name: 'leaves buckets of other classes alone',
    objects: [aBucket({ storageClassName: 'sc' }), aClass('sc', 'noobaa.io/obc', STORE), aStore('s')],
    edges: [],
  },
  {
    name: 'finds nothing at a host of others',
    objects: [aBucket({ endpoint: { bucketHost: 's3.example' } }), aStore('s')],
    edges: [],
  },
  {
    name: 'leads a claim through its bucket',
    objects: [
      aClaim({ objectBucketName: 'ob', storageClassName: 'sc' }),
      aBucket({ additionalState: STORE }),
      aClass('sc', PROVISIONER, { ...STORE, objectStoreName: 's2' }),
      aStore('s'),
      ...strangers,
    ],
    edges: [
      'ObjectBucket ob → CephObjectStore rook-ceph/s at spec.additionalState.objectStoreName',
      'ObjectBucketClaim apps/obc → CephObjectStore rook-ceph/s at spec.objectBucketName',
    ],
  },
  {
    name: 'leads a claim without a bucket through its class',
    objects: [
      aClaim({ objectBucketName: 'gone', storageClassName: 'sc' }),
      aClass('sc', PROVISIONER, STORE),
      aClass('sc2', PROVISIONER, { ...STORE, objectStoreName: 's2' }),
      aStore('s'),
      ...strangers,
    ],
    edges: ['ObjectBucketClaim apps/obc → CephObjectStore rook-ceph/s at spec.storageClassName'],
  },
  {
    name: 'leaves claims of other provisioners alone',
    objects: [aClaim({ storageClassName: 'sc' }), aClass('sc', 'noobaa.io/obc', STORE), aStore('s')],
    edges: [],
  },
  {
    name: 'finds nothing for a claim whose class is missing',
    objects: [aClaim({ storageClassName: 'sc' }), aStore('s')],
    edges: [],
  },
  {
    name: 'keeps the mention of a store that is missing',
    objects: [aBucket({ additionalState: STORE })],
    edges: ['ObjectBucket ob → CephObjectStore rook-ceph/s at spec.additionalState.objectStoreName'],
  },
])('RD025 (E25) $name', (row) => {
  expectEdges('RD025', row);
});

test.for<RuleRow>([
  {
    name: 'reads the claim of the bucket',
    objects: [
      aBucket({ claimRef: { namespace: 'apps', name: 'obc' } }, { status: { phase: 'Bound' } }),
      anObject(Kinds.ObjectBucketClaim, 'obc', { namespace: 'other' }),
    ],
    edges: ['ObjectBucketClaim apps/obc → ObjectBucket ob at spec.claimRef'],
  },
  {
    name: 'forgets the claim of a released bucket',
    objects: [aBucket({ claimRef: { namespace: 'apps', name: 'obc' } }, { status: { phase: 'Released' } })],
    edges: [],
  },
  {
    name: 'finds nothing without a name',
    objects: [aBucket({ claimRef: { namespace: 'apps' } })],
    edges: [],
  },
])('RD035 (E25) $name', (row) => {
  expectEdges('RD035', row);
});

test.for<RuleRow>([
  ...['bucketClaim', 'bucketClaimRef'].map((field) => ({
    name: `reads ${field}`,
    objects: [aCosiBucket({ [field]: { namespace: 'apps', name: 'claim' } }), aCosiClaim('claim')],
    edges: [`BucketClaim apps/claim → Bucket bucket at spec.${field}`],
  })),
  { name: 'finds nothing in an empty claim', objects: [aCosiBucket({ bucketClaim: {} })], edges: [] },
  {
    name: 'does not take a claim of the same name for it',
    objects: [aCosiBucket({}), aCosiClaim('bucket')],
    edges: [],
  },
])('RD036 (E26) $name', (row) => {
  expectEdges('RD036', row);
});

test.for<RuleRow>([
  {
    name: 'reads the claim of an access',
    objects: [
      anAccess({ bucketClaimName: 'claim' }),
      aCosiClaim('claim'),
      aCosiClaim('claim-2'),
      aCosiClaim('claim', 'other'),
    ],
    edges: ['BucketAccess apps/access → BucketClaim apps/claim at spec.bucketClaimName'],
  },
  {
    name: 'reads a list of claims',
    objects: [
      anAccess({ bucketClaims: [{ bucketClaimName: 'a' }, {}, { bucketClaimName: 'b' }] }),
      aCosiClaim('a'),
      aCosiClaim('b'),
    ],
    edges: [
      'BucketAccess apps/access → BucketClaim apps/a at spec.bucketClaims[0].bucketClaimName',
      'BucketAccess apps/access → BucketClaim apps/b at spec.bucketClaims[2].bucketClaimName',
    ],
  },
  {
    name: 'keeps the mention of a claim that is missing',
    objects: [anAccess({ bucketClaimName: 'gone' })],
    edges: ['BucketAccess apps/access → BucketClaim apps/gone at spec.bucketClaimName'],
  },
  { name: 'finds nothing without a claim', objects: [anAccess({}), aCosiClaim('access')], edges: [] },
])('RD037 (E26) $name', (row) => {
  expectEdges('RD037', row);
});
