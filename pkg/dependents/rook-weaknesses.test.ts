import { describe, expect, test } from 'vitest';
import { Kinds } from '#pkg/object';
import { deleted, DependentsWorld, finds, named } from '#test/fakes/dependents-world.ts';
import {
  aCluster,
  anObject,
  aPool,
  aRadosNamespace,
  aStore,
  aSubVolumeGroup,
  aVolume,
} from '#test/fixtures/objects.ts';
import { withContents } from './contents.ts';
import { NOTHING } from './finding.ts';

const SIGNAL = new AbortController().signal;

/** What Rook itself does not see when one of its resources is deleted. */
describe('where Rook does not look', () => {
  test('W1: a pool is held by the object store that shares it, and by what needs it by its name', async () => {
    const sharedPools = { metadataPoolName: 'p', dataPoolName: 'p' };
    const store = aStore('s', { spec: { sharedPools } });
    expect(named(await finds(aPool('p'), [store]))).toEqual(['CephObjectStore/s']);
    const nfs = anObject(Kinds.CephNFS, 'n', { spec: { server: { active: 1 } } });
    expect(named(await finds(aPool('nfs', { spec: { name: '.nfs' } }), [nfs]))).toEqual(['CephNFS/n']);
  });

  test('W2: a pool for data alone is held by the volume whose image has its data there', async () => {
    const attributes = { clusterID: 'rook-ceph', pool: 'meta', dataPool: 'ec' };
    expect(named(await finds(aPool('ec'), [aVolume('v', { attributes })]))).toEqual(['PersistentVolume/v']);
  });

  test('W5: a cluster is held by volumes of its rados namespaces and groups, and of every driver', async () => {
    const volume = (name: string, clusterID: string, driver: string) =>
      aVolume(name, { driver: `rook-ceph.${driver}.csi.ceph.com`, attributes: { clusterID } });
    const parts = [
      aRadosNamespace('n', 'p', { spec: { clusterID: 'tenant' } }),
      aSubVolumeGroup('g', 'f', { spec: { clusterID: 'group' } }),
    ];
    const volumes = [
      volume('nfs', 'rook-ceph', 'nfs'),
      volume('nvmeof', 'rook-ceph', 'nvmeof'),
      volume('rbd', 'tenant', 'rbd'),
      volume('cephfs', 'group', 'cephfs'),
    ];
    const found = named(await finds(aCluster(), [...parts, ...volumes]));
    for (const { metadata } of volumes) expect(found).toContain(`PersistentVolume/${metadata.name}`);
  });

  test('W6: a cluster is held by gateways and accounts, a store by users of other namespaces', async () => {
    const others = [anObject(Kinds.CephNVMeOFGateway, 'g'), anObject(Kinds.CephObjectStoreAccount, 'a')];
    expect(named(await finds(aCluster(), others))).toEqual([
      'CephNVMeOFGateway/g',
      'CephObjectStoreAccount/a',
    ]);
    const spec = { store: 's', clusterNamespace: 'rook-ceph' };
    const user = anObject(Kinds.CephObjectStoreUser, 'u', { namespace: 'tenant', spec });
    expect(named(await finds(aStore('s'), [user]))).toEqual(['CephObjectStoreUser/u']);
  });

  test.for([
    {
      weakness: 'W7',
      kind: Kinds.CephObjectRealm,
      dependent: anObject(Kinds.CephObjectZoneGroup, 'g', { spec: { realm: 'x' } }),
    },
    {
      weakness: 'W7',
      kind: Kinds.CephObjectZoneGroup,
      dependent: anObject(Kinds.CephObjectZone, 'z', { spec: { zoneGroup: 'x' } }),
    },
    {
      weakness: 'W10',
      kind: Kinds.CephBucketTopic,
      dependent: anObject(Kinds.CephBucketNotification, 'n', { spec: { topic: 'x' } }),
    },
    {
      weakness: 'W10',
      kind: Kinds.CephObjectStoreAccount,
      dependent: anObject(Kinds.CephObjectStoreUser, 'u', {
        spec: { store: 's', accountRef: { name: 'x' } },
      }),
    },
  ])('$weakness: a $kind.kind is held, and its deletion told', async ({ kind, dependent }) => {
    const object = deleted(anObject(kind, 'x'));
    const world = new DependentsWorld(object, dependent);
    await world.reconcile(object);
    expect(world.condition(object)).toBe('True/ObjectHasDependents');
    expect(world.events.map(({ reason }) => reason)).toEqual(['ReconcileFailed']);
    expect(world.finalizers(object)).toEqual(['rook-deps.io/dependents']);
  });

  test('W12: a store whose zone is the master of others is held by them, and its deletion told', async () => {
    const contentsOf = async () => ({ items: [{ kind: 'PeerZone', name: 'zone-b' }], gaps: [] });
    const takenAlong = async () => ({ items: [], gaps: [] });
    const find = withContents(async () => NOTHING, { contents: { contentsOf }, takenAlong });
    expect(named(await find(aStore('s'), SIGNAL))).toEqual(['PeerZone/zone-b']);
  });
});
