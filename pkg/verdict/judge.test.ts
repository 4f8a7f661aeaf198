import { describe, expect, test } from 'vitest';
import { Kinds, type Gap, type KubeObject } from '#pkg/object';
import { DependencyIndex } from '#pkg/rules';
import {
  aClass,
  aCluster,
  anObject,
  aPool,
  aRadosNamespace,
  aStore,
  aVolume,
} from '#test/fixtures/objects.ts';
import { judge, type Evidence } from '#pkg/verdict';

const GAP: Gap = { what: 'PersistentVolume', reason: 'forbidden: no' };
const NOTHING = { items: [], gaps: [] };
const IMAGES = {
  items: [
    { kind: 'RBDImage', name: 'csi-vol-2' },
    { kind: 'RBDImage', name: 'csi-vol-1' },
  ],
  gaps: [],
};
const DESTROYED = { spec: { cleanupPolicy: { confirmation: 'yes-really-destroy-data' } } };
const TERMINATING = { deletionTimestamp: '2026-11-12T16:03:27Z' };
const inPool = { clusterID: 'rook-ceph', pool: 'p' };

function evidence(objects: readonly KubeObject[], parts: Partial<Evidence> = {}): Evidence {
  return { index: new DependencyIndex(objects), gaps: [], contents: NOTHING, operator: 'Unknown', ...parts };
}

describe('the verdict', () => {
  const pool = aPool('p');
  const tenant = aRadosNamespace('tenant', 'p');
  const rows = [
    { name: 'nothing depends and nothing is unseen', objects: [], gaps: [], verdict: 'Deletable' },
    { name: 'something depends', objects: [tenant], gaps: [], verdict: 'Blocked' },
    { name: 'nothing was found but something is unseen', objects: [], gaps: [GAP], verdict: 'Unknown' },
    { name: 'something depends and more is unseen', objects: [tenant], gaps: [GAP], verdict: 'Blocked' },
    {
      name: 'only a StorageClass refers to it',
      objects: [aClass('fast', 'rook-ceph.rbd.csi.ceph.com', inPool), aCluster()],
      gaps: [],
      verdict: 'Deletable',
    },
  ];
  test.for(rows)('is $verdict when $name', ({ objects, gaps, verdict }) => {
    const report = judge(pool, evidence([pool, ...objects], { gaps }));
    expect(report.verdict).toBe(verdict);
    expect(report.gaps).toEqual(gaps);
  });

  test('turns Unknown through a gap of Ceph alone', () => {
    const contents = { items: [], gaps: [{ what: 'images in p', reason: 'only Ceph can tell' }] };
    expect(judge(pool, evidence([pool], { contents }))).toMatchObject({
      verdict: 'Unknown',
      gaps: contents.gaps,
    });
  });
});

describe('causes', () => {
  const pool = aPool('p');

  test('name the object, the field and the relation, without a field that nobody knows', () => {
    const { causes } = judge(pool, evidence([pool, aRadosNamespace('tenant', 'p')]));
    expect(causes).toEqual([
      {
        code: 'RD002',
        relation: 'is a namespace of',
        field: 'spec.blockPoolName',
        message: 'CephBlockPoolRadosNamespace rook-ceph/tenant is a namespace of CephBlockPool p',
        object: {
          apiVersion: 'ceph.rook.io/v1',
          kind: 'CephBlockPoolRadosNamespace',
          namespace: 'rook-ceph',
          name: 'tenant',
        },
      },
    ]);
  });

  test('have the code of what Ceph holds, sorted, with no field', () => {
    const { verdict, causes } = judge(pool, evidence([pool], { contents: IMAGES }));
    expect(verdict).toBe('Blocked');
    expect(causes).toEqual(
      ['csi-vol-1', 'csi-vol-2'].map((name) => ({
        code: 'RD050',
        relation: 'is an image in',
        message: `RBDImage ${name} is an image in CephBlockPool p`,
        object: { apiVersion: 'ceph', kind: 'RBDImage', name },
      })),
    );
  });

  test('name the volume or claim that a thing in Ceph was made for', () => {
    const volume = aVolume('pv', { attributes: { ...inPool, imageName: 'csi-vol-1' } });
    const { causes } = judge(pool, evidence([aCluster(), pool, volume], { contents: IMAGES }));
    const owner = { apiVersion: 'v1', kind: 'PersistentVolume', name: 'pv' };
    expect(causes.filter(({ code }) => code === 'RD050')).toMatchObject([
      {
        message: 'RBDImage csi-vol-1 is an image in CephBlockPool p (owned by PersistentVolume pv)',
        owner,
      },
      { message: 'RBDImage csi-vol-2 is an image in CephBlockPool p' },
    ]);
  });

  test.for([
    {
      name: 'an ObjectBucketClaim',
      bucket: anObject(Kinds.ObjectBucket, 'obc-shop-photos', {
        spec: {
          endpoint: { bucketName: 'photos-1' },
          claimRef: { namespace: 'shop', name: 'photos' },
          additionalState: { objectStoreName: 's', objectStoreNamespace: 'rook-ceph' },
        },
      }),
      owner: { kind: 'ObjectBucketClaim', namespace: 'shop', name: 'photos' },
    },
    {
      name: 'nobody, but has a resource',
      bucket: anObject(Kinds.ObjectBucket, 'kept', {
        spec: {
          endpoint: { bucketName: 'photos-1' },
          additionalState: { objectStoreName: 's', objectStoreNamespace: 'rook-ceph' },
        },
      }),
      owner: { kind: 'ObjectBucket', name: 'kept' },
    },
  ])('name the owner of a bucket that was claimed by $name', ({ bucket, owner }) => {
    const contents = { items: [{ kind: 'Bucket', name: 'photos-1' }], gaps: [] };
    const store = aStore('s');
    const { causes } = judge(store, evidence([aCluster(), store, bucket], { contents }));
    expect(causes.find(({ code }) => code === 'RD054')).toMatchObject({ owner });
  });

  test('give a kind that was only mentioned the version it is known by', () => {
    const volume = aVolume('v', { spec: { claimRef: { namespace: 'shop', name: 'data' } } });
    const { causes } = judge(volume, evidence([volume]));
    expect(causes).toMatchObject([
      { code: 'RD031', object: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'shop' } },
    ]);
  });
});

describe('a cluster that allows uninstalling with volumes', () => {
  const pool = aPool('p');
  const volume = aVolume('v', { attributes: inPool, spec: { claimRef: { namespace: 'shop', name: 'c' } } });

  test('is not held by volumes, which stay in sight', () => {
    const cluster = aCluster('rook-ceph', { spec: { cleanupPolicy: { allowUninstallWithVolumes: true } } });
    const report = judge(pool, evidence([cluster, pool, volume]));
    expect(report.verdict).toBe('Deletable');
    expect(report.related).toMatchObject([{ code: 'RD023', object: { name: 'v' } }]);
  });

  test('is one that says so with true and nothing else', () => {
    const cluster = aCluster('rook-ceph', { spec: { cleanupPolicy: { allowUninstallWithVolumes: 'true' } } });
    expect(judge(pool, evidence([cluster, pool, volume])).verdict).toBe('Blocked');
  });
});

describe('a cluster that is destroyed with yes-really-destroy-data', () => {
  const pool = aPool('p');
  const tenant = aRadosNamespace('tenant', 'p');
  const destroyed = aCluster('rook-ceph', { ...DESTROYED, ...TERMINATING });

  test('lets everything in it go: causes become related, gaps do not count, and a note says why', () => {
    const report = judge(
      pool,
      evidence([destroyed, pool, tenant], { gaps: [GAP], contents: { ...IMAGES, gaps: [GAP] } }),
    );
    expect(report).toMatchObject({
      verdict: 'Deletable',
      causes: [],
      gaps: [],
      related: [{ code: 'RD002' }, { code: 'RD050' }, { code: 'RD050' }],
      notes: [expect.stringContaining('CephCluster rook-ceph is being deleted')],
    });
  });

  const near = [
    { name: 'the cluster is not being deleted', cluster: aCluster('rook-ceph', DESTROYED) },
    { name: 'the word is missing', cluster: aCluster('rook-ceph', TERMINATING) },
    {
      name: 'the word is another',
      cluster: aCluster('rook-ceph', {
        ...TERMINATING,
        spec: { cleanupPolicy: { confirmation: 'yes-really-destroy-data ' } },
      }),
    },
    {
      name: 'it is the cluster of another namespace',
      cluster: aCluster('rook-ceph', { ...DESTROYED, ...TERMINATING, namespace: 'other' }),
    },
  ];
  test.for(near)('holds as ever when $name', ({ cluster }) => {
    const report = judge(pool, evidence([cluster, pool, tenant]));
    expect(report.verdict).toBe('Blocked');
    expect(report).not.toHaveProperty('notes');
  });

  test('is itself still held by what lives in it', () => {
    expect(judge(destroyed, evidence([destroyed, pool])).verdict).toBe('Blocked');
  });

  test('does not release what is not of Rook', () => {
    const volume = aVolume('v', { spec: { claimRef: { namespace: 'rook-ceph', name: 'data' } } });
    expect(judge(volume, evidence([destroyed, volume])).verdict).toBe('Blocked');
  });

  test('is not another kind called CephCluster', () => {
    const stranger = { ...destroyed, apiVersion: 'example.com/v1' };
    expect(judge(pool, evidence([stranger, pool, tenant])).verdict).toBe('Blocked');
  });
});

describe('consumers', () => {
  const pool = aPool('p');
  const volume = aVolume('v', {
    attributes: inPool,
    spec: { claimRef: { namespace: 'shop', name: 'data' } },
    status: { phase: 'Bound' },
  });
  const claim = anObject(Kinds.PersistentVolumeClaim, 'data', { namespace: 'shop' });
  const pod = anObject(Kinds.Pod, 'db', {
    namespace: 'shop',
    spec: { volumes: [{ persistentVolumeClaim: { claimName: 'data' } }] },
  });

  test('of the volumes are related, each once, and no cause', () => {
    const report = judge(pool, evidence([aCluster(), pool, volume, claim, pod]));
    expect(report.causes.map(({ object }) => object.kind)).toEqual(['PersistentVolume']);
    expect(report.related.map(({ code, object }) => `${code} ${object.kind}/${object.name}`)).toEqual([
      'RD031 PersistentVolumeClaim/data',
      'RD032 Pod/db',
    ]);
  });

  test('that hold the subject themselves are causes, and not told again', () => {
    const store = aStore('s');
    const bucket = anObject(Kinds.ObjectBucket, 'b', {
      spec: {
        additionalState: { objectStoreName: 's', objectStoreNamespace: 'rook-ceph' },
        claimRef: { namespace: 'media', name: 'photos' },
      },
    });
    const bucketClaim = anObject(Kinds.ObjectBucketClaim, 'photos', {
      namespace: 'media',
      spec: { objectBucketName: 'b' },
    });
    const report = judge(store, evidence([store, bucket, bucketClaim]));
    expect(report.causes.map(({ object }) => object.kind)).toEqual(['ObjectBucket', 'ObjectBucketClaim']);
    expect(report.related).toEqual([]);
  });

  test('of two volumes that one pod mounts are listed for each, and the pod is not repeated per path', () => {
    const second = aVolume('w', {
      attributes: inPool,
      spec: { claimRef: { namespace: 'shop', name: 'logs' } },
    });
    const both = anObject(Kinds.Pod, 'db', {
      namespace: 'shop',
      spec: { volumes: ['data', 'logs'].map((claimName) => ({ persistentVolumeClaim: { claimName } })) },
    });
    const { related } = judge(pool, evidence([aCluster(), pool, volume, second, both]));
    expect(related.map(({ message }) => message)).toEqual([
      'PersistentVolumeClaim shop/data is bound to PersistentVolume v',
      'PersistentVolumeClaim shop/logs is bound to PersistentVolume w',
      'Pod shop/db mounts PersistentVolumeClaim data',
      'Pod shop/db mounts PersistentVolumeClaim logs',
    ]);
  });
});

test('an object that is kept by what it keeps is not related to itself', () => {
  const operator = anObject(Kinds.Deployment, 'operator');
  const service: KubeObject = {
    apiVersion: 'rook-deps.io/v1alpha1',
    kind: 'CriticalService',
    metadata: { name: 's' },
    spec: {
      provider: { group: 'apps', resource: 'deployments', namespace: 'rook-ceph', name: 'operator' },
      criteria: [],
    },
  };
  const { causes, related } = judge(operator, evidence([operator, service]));
  expect(causes.map(({ code }) => code)).toEqual(['RD045']);
  expect(related).toEqual([]);
});
