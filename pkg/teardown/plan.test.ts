import { describe, expect, test } from 'vitest';
import { keyOf, Kinds, refOf, type KubeObject } from '#pkg/object';
import { DependencyIndex } from '#pkg/rules';
import {
  aClass,
  aCluster,
  aFilesystem,
  anObject,
  aPool,
  aRadosNamespace,
  aStore,
  aVolume,
} from '#test/fixtures/objects.ts';
import { planText } from './plan-text.ts';
import { planTeardown, type Plan } from './plan.ts';

const attributes = { clusterID: 'rook-ceph', pool: 'p' };
const claimRef = { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data' };
const volume = (policy: string): KubeObject =>
  aVolume('v', { attributes, spec: { claimRef, persistentVolumeReclaimPolicy: policy } });
const claim = anObject(Kinds.PersistentVolumeClaim, 'data', { namespace: 'shop' });
const pod = anObject(Kinds.Pod, 'web', {
  namespace: 'shop',
  spec: { volumes: [{ persistentVolumeClaim: { claimName: 'data' } }] },
});

function plan(subject: KubeObject, others: readonly KubeObject[], includeData = false): Plan {
  return planTeardown([subject], new DependencyIndex([...others, subject]), { includeData });
}

const levels = ({ levels: all }: Plan): readonly (readonly string[])[] =>
  all.map((level) =>
    level.map(
      ({ object, action }) => `${action === 'await' ? 'await ' : ''}${object.kind}/${object.metadata.name}`,
    ),
  );
const obstacles = ({ obstacles: all }: Plan): readonly string[] =>
  all.map(({ kind, object, message }) => `${kind}: ${object.kind}/${object.name} ${message}`);

describe('a plan', () => {
  test('has the leaves first and the subject last', () => {
    const others = [aRadosNamespace('t', 'p'), aPool('p'), aFilesystem('f')];
    expect(levels(plan(aCluster(), others))).toEqual([
      ['CephBlockPoolRadosNamespace/t', 'CephFilesystem/f'],
      ['CephBlockPool/p'],
      ['CephCluster/rook-ceph'],
    ]);
  });

  test('leaves alone what the subject depends on', () => {
    expect(levels(plan(aPool('p'), [aCluster(), aPool('q')]))).toEqual([['CephBlockPool/p']]);
  });

  test('takes StorageClasses along, which would lead nowhere', () => {
    const sc = aClass('sc', 'rook-ceph.rbd.csi.ceph.com', attributes);
    expect(levels(plan(aPool('p'), [aCluster(), sc]))).toEqual([['StorageClass/sc'], ['CephBlockPool/p']]);
  });

  test('stops at data, and names it with what holds it', () => {
    const stopped = plan(aCluster(), [aPool('p'), volume('Delete'), claim]);
    expect(obstacles(stopped)).toEqual([
      'data: PersistentVolume/v keeps its data in CephBlockPool/p (claim shop/data)',
    ]);
    expect(levels(stopped).flat()).not.toContain('PersistentVolume/v');
  });

  test('with data asked for, the claim goes first and its driver removes the volume', () => {
    const { obstacles: none, ...rest } = plan(aPool('p'), [aCluster(), volume('Delete'), claim], true);
    expect(none).toEqual([]);
    expect(levels({ obstacles: none, ...rest })).toEqual([
      ['PersistentVolumeClaim/data'],
      ['await PersistentVolume/v'],
      ['CephBlockPool/p'],
    ]);
  });

  test('a retained volume is in the way of its pool, which it would keep by what it leaves', () => {
    const all = plan(aPool('p'), [aCluster(), volume('Retain'), claim], true);
    expect(levels(all)[1]).toEqual(['PersistentVolume/v']);
    expect(obstacles(all)).toEqual([
      'retained: PersistentVolume/v leaves its data in CephBlockPool/p (policy Retain)',
    ]);
  });

  test('a pod that mounts a claim is in the way even of those who ask for data', () => {
    expect(obstacles(plan(aPool('p'), [aCluster(), volume('Delete'), claim, pod], true))).toEqual([
      'user: Pod/web mounts PersistentVolumeClaim/data',
    ]);
  });

  test('volumes that Rook is told to overlook are not, and what it will destroy is told', () => {
    const cleanupPolicy = { allowUninstallWithVolumes: true, confirmation: 'yes-really-destroy-data' };
    const told = plan(aCluster('rook-ceph', { spec: { cleanupPolicy } }), [aPool('p'), volume('Delete')]);
    expect(obstacles(told)).toContainEqual(
      expect.stringMatching(/^data: PersistentVolume\/v keeps its data in/),
    );
    expect(told.notes).toEqual([
      'Rook DESTROYS all data of CephCluster/rook-ceph on its hosts (cleanupPolicy.confirmation: yes-really-destroy-data)',
      'Rook deletes CephCluster/rook-ceph with the volumes in it (cleanupPolicy.allowUninstallWithVolumes: true)',
    ]);
  });

  test('a volume whose claim is gone is left to its driver', () => {
    const released = { ...volume('Delete'), status: { phase: 'Released' } };
    expect(levels(plan(aPool('p'), [aCluster(), released], true))[0]).toEqual(['await PersistentVolume/v']);
  });

  test('a retained bucket is in the way of its store', () => {
    const store = aStore('s');
    const bucket = anObject(Kinds.ObjectBucket, 'b', {
      spec: {
        reclaimPolicy: 'Retain',
        endpoint: { bucketHost: 'rook-ceph-rgw-s.rook-ceph.svc', bucketName: 'x' },
        additionalState: { objectStoreName: 's', objectStoreNamespace: 'rook-ceph' },
      },
    });
    expect(obstacles(plan(store, [aCluster(), bucket], true))).toEqual([
      'retained: ObjectBucket/b leaves its data in CephObjectStore/s (policy Retain)',
    ]);
  });
});

describe('a usage', () => {
  const usage = (of: KubeObject, by?: KubeObject): KubeObject => {
    const side = (object: KubeObject): object => ({
      apiVersion: object.apiVersion,
      kind: object.kind,
      resourceRef: { name: object.metadata.name },
    });
    return anObject(Kinds.Usage, 'u', {
      spec: { of: side(of), ...(by ? { by: side(by) } : { reason: 'payments' }) },
    });
  };

  test('for a reason is in the way', () => {
    expect(obstacles(plan(aCluster(), [aPool('p'), usage(aPool('p'))]))).toEqual([
      'protection: Usage/u protects CephBlockPool/p (payments)',
    ]);
  });

  test('by something that goes too only sets the order', () => {
    const others = [aPool('p'), aFilesystem('f'), usage(aPool('p'), aFilesystem('f'))];
    const ordered = plan(aCluster(), others);
    expect(ordered.obstacles).toEqual([]);
    expect(levels(ordered)).toEqual([['CephFilesystem/f'], ['CephBlockPool/p'], ['CephCluster/rook-ceph']]);
  });

  test('by something that stays is in the way', () => {
    const others = [aCluster(), aFilesystem('f'), usage(aPool('p'), aFilesystem('f'))];
    expect(obstacles(plan(aPool('p'), others))).toHaveLength(1);
  });
});

test('a CriticalService whose criteria are not met is in the way', () => {
  const provider = { group: 'ceph.rook.io', resource: 'cephblockpools', namespace: 'rook-ceph', name: 'p' };
  const service = anObject(Kinds.CriticalService, 's', {
    spec: { provider, criteria: [{ type: 'Finalizer' }] },
    status: { conditions: [{ type: 'Satisfied', status: 'False', message: 'waiting for 2 tenants' }] },
  });
  expect(obstacles(plan(aCluster(), [aPool('p'), service]))).toEqual([
    expect.stringContaining('protection: CriticalService/s keeps CephBlockPool/p') as string,
  ]);
});

describe('what is owned', () => {
  const composite = anObject(Kinds.StorageComposite, 's', { uid: '1' });
  const ownerReferences = [
    {
      apiVersion: 'rook-deps.io/v1alpha1',
      kind: 'StorageComposite',
      name: 's',
      uid: '1',
      controller: true,
      blockOwnerDeletion: true,
    },
  ];

  test('goes with its owner, after all that depends on it', () => {
    const owned = aPool('p', { ownerReferences });
    const all = plan(composite, [owned, aRadosNamespace('t', 'p')]);
    expect(levels(all)).toEqual([['CephBlockPoolRadosNamespace/t'], ['StorageComposite/s']]);
    expect(all.owned).toEqual([owned]);
  });

  test('by another as well stays, and all that depends on it', () => {
    const shared = aPool('p', { ownerReferences });
    const others = new Map([[keyOf(refOf(shared)), 'Gadget/g']]);
    const index = new DependencyIndex([composite, shared, aRadosNamespace('t', 'p')]);
    const all = planTeardown([composite], index, { includeData: false }, others);
    expect(levels(all)).toEqual([['StorageComposite/s']]);
    expect(all.owned).toEqual([]);
    expect(all.left).toMatchObject([{ ref: refOf(shared), otherOwner: 'Gadget/g' }]);
    expect(all.obstacles).toEqual([]);
  });

  test('by another as well is in the way of a claim that waits for it', () => {
    const held = (policy: string): KubeObject =>
      anObject(Kinds.StorageClaim, 'c', {
        namespace: 'shop',
        spec: { compositeRef: { name: 's' }, compositeDeletePolicy: policy },
      });
    const { apiVersion, kind } = held('Foreground');
    const spec = { claimRef: { apiVersion, kind, namespace: 'shop', name: 'c' } };
    const shared = aPool('p', { ownerReferences });
    const others = new Map([[keyOf(refOf(shared)), 'Gadget/g']]);
    const planned = (policy: string): Plan =>
      planTeardown(
        [held(policy)],
        new DependencyIndex([{ ...composite, spec }, shared, held(policy)]),
        { includeData: false },
        others,
      );
    expect(obstacles(planned('Foreground'))).toEqual(['owner: CephBlockPool/p is owned by Gadget/g, too']);
    expect(obstacles(planned('Background'))).toEqual([]);
  });

  test('no more, though its composite lists it, stays', () => {
    const whole = {
      ...composite,
      status: {
        resources: [
          { apiVersion: 'ceph.rook.io/v1', kind: 'CephBlockPool', namespace: 'rook-ceph', name: 'p' },
        ],
      },
    };
    const all = plan(whole, [aPool('p')]);
    expect(levels(all)).toEqual([['StorageComposite/s']]);
    expect(all.left).toEqual([{ ref: refOf(aPool('p')), whole: refOf(whole), otherOwner: undefined }]);
  });

  test('and holds data keeps its owner', () => {
    const all = plan(composite, [aCluster(), aPool('p', { ownerReferences }), volume('Delete')]);
    expect(obstacles(all)).toEqual([
      'data: PersistentVolume/v keeps its data in CephBlockPool/p (claim shop/data)',
    ]);
  });

  test('and is data itself keeps its owner: it would be destroyed with it', () => {
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c', namespace: 'rook-ceph', ownerReferences },
    };
    expect(obstacles(plan(composite, [claim]))).toEqual([
      expect.stringContaining('data: PersistentVolumeClaim/c') as string,
    ]);
  });

  test('and is data is told of as destroyed, when it is asked for', () => {
    const owned = anObject(Kinds.PersistentVolumeClaim, 'c', { namespace: 'rook-ceph', ownerReferences });
    expect(planText(plan(composite, [owned], true))).toContain(
      'Data of users is DESTROYED: 1 object (1 PersistentVolumeClaim)',
    );
  });

  test('stays when it is to be orphaned, and holds nobody then', () => {
    const owned = anObject(Kinds.PersistentVolumeClaim, 'c', { namespace: 'rook-ceph', ownerReferences });
    const index = new DependencyIndex([composite, owned, aPool('p', { ownerReferences })]);
    const all = planTeardown([composite], index, { includeData: false, orphans: true });
    expect({ levels: levels(all), owned: all.owned, obstacles: all.obstacles }).toEqual({
      levels: [['StorageComposite/s']],
      owned: [],
      obstacles: [],
    });
    expect(planText(all).join('\n')).toContain('loses its owner StorageComposite/s (--cascade=orphan)');
  });

  test('and asked for by itself comes with a warning that it may come back', () => {
    const { notes } = plan(aPool('p', { ownerReferences }), [composite]);
    expect(notes).toEqual([
      'CephBlockPool/p is controlled by StorageComposite/s, which may make it anew: consider deleting that instead',
    ]);
  });

  test('and is waited for by its owner is deleted by name', () => {
    const clusterOwner = { apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', name: 'rook-ceph', uid: '2' };
    const owned = aPool('p', { ownerReferences: [{ ...clusterOwner, controller: true }] });
    expect(levels(plan(aCluster('rook-ceph', { uid: '2' }), [owned]))).toEqual([
      ['CephBlockPool/p'],
      ['CephCluster/rook-ceph'],
    ]);
  });
});
