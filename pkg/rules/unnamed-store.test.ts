import { test } from 'vitest';
import {
  aClass,
  aCluster,
  aFilesystem,
  aHandle,
  aPool,
  aProfile,
  aRadosNamespace,
  aSubVolumeGroup,
  aVolume,
  type VolumeParts,
} from '#test/fixtures/objects.ts';
import { expectEdges, type RuleRow } from '#test/fixtures/rule-rows.ts';

const CEPHFS = 'rook-ceph.cephfs.csi.ceph.com';
const RBD = 'rook-ceph.rbd.csi.ceph.com';
const numbered = (name: string, poolID: number) => aPool(name, { status: { poolID } });
const aNameless = (parts: VolumeParts = {}) =>
  aVolume('v', { attributes: { clusterID: 'rook-ceph' }, ...parts });
const byHandle = (provider: string) => `PersistentVolume v → ${provider} at spec.csi.volumeHandle`;
const byClass = (provider: string) => `PersistentVolume v → ${provider} at spec.storageClassName`;

/** Volumes whose attributes name neither pool nor filesystem. */
test.for<RuleRow>([
  {
    name: 'takes clusterID and pool from the handle',
    objects: [
      aVolume('v', { handle: aHandle('my-rook-ceph', 3) }),
      aCluster('c', { namespace: 'my-rook-ceph' }),
    ],
    edges: ['PersistentVolume v → CephCluster my-rook-ceph/c at spec.csi.volumeAttributes.clusterID'],
  },
  {
    name: 'takes the pool of the number',
    objects: [
      aNameless({ handle: aHandle('rook-ceph', 18) }),
      numbered('p', 18),
      numbered('q', 12),
      aPool('r'),
    ],
    edges: [byHandle('CephBlockPool rook-ceph/p')],
  },
  {
    name: 'takes every pool of unknown number when no pool is known by it',
    objects: [
      aNameless({ handle: aHandle('rook-ceph', 3) }),
      numbered('p', 4),
      aPool('q'),
      numbered('r', -1),
      numbered('s', 0),
      aPool('t', { status: { poolID: '3' } }),
    ],
    edges: ['q', 'r', 's', 't'].map((pool) => byHandle(`CephBlockPool rook-ceph/${pool}`)),
  },
  {
    name: 'takes no pool when all have other numbers',
    objects: [aNameless({ handle: aHandle('rook-ceph', 3) }), numbered('p', 4)],
    edges: [],
  },
  {
    name: 'takes every pool when the handle is free text',
    objects: [
      aNameless({ handle: 'image' }),
      numbered('p', 4),
      aPool('q'),
      aPool('x', { namespace: 'other' }),
    ],
    edges: [byHandle('CephBlockPool rook-ceph/p'), byHandle('CephBlockPool rook-ceph/q')],
  },
  {
    name: 'asks the class before the number',
    objects: [
      aNameless({ handle: aHandle('rook-ceph', 4), spec: { storageClassName: 'sc' } }),
      aClass('sc', RBD, { clusterID: 'rook-ceph', pool: 'p', dataPool: 'ec' }),
      numbered('p', 3),
      numbered('q', 4),
      aPool('ec'),
    ],
    edges: [byClass('CephBlockPool rook-ceph/p'), byClass('CephBlockPool rook-ceph/ec')],
  },
  {
    name: 'does not ask a class of another driver',
    objects: [
      aNameless({ handle: aHandle('rook-ceph', 4), spec: { storageClassName: 'sc' } }),
      aClass('sc', CEPHFS, { clusterID: 'rook-ceph', pool: 'p', fsName: 'fs' }),
      numbered('p', 3),
      numbered('q', 4),
      aFilesystem('fs'),
    ],
    edges: [byHandle('CephBlockPool rook-ceph/q')],
  },
  {
    name: 'falls back to the number when the class leads nowhere',
    objects: [
      aNameless({ handle: aHandle('rook-ceph', 4), spec: { storageClassName: 'sc' } }),
      aClass('sc', RBD, { clusterID: 'rook-ceph', pool: 'gone' }),
      numbered('q', 4),
    ],
    edges: [byHandle('CephBlockPool rook-ceph/q')],
  },
  {
    name: 'takes every filesystem, whose numbers nobody tells',
    objects: [
      aNameless({ driver: CEPHFS, handle: aHandle('rook-ceph', 1) }),
      aFilesystem('a'),
      aFilesystem('b'),
      aFilesystem('c', { namespace: 'other' }),
      numbered('p', 1),
    ],
    edges: [byHandle('CephFilesystem rook-ceph/a'), byHandle('CephFilesystem rook-ceph/b')],
  },
  {
    name: 'takes every subvolume group of every filesystem with them',
    objects: [
      aNameless({ driver: CEPHFS, handle: aHandle('rook-ceph', 1) }),
      aFilesystem('a'),
      aSubVolumeGroup('g', 'a'),
      aSubVolumeGroup('h', 'gone'),
    ],
    edges: [byHandle('CephFilesystem rook-ceph/a'), byHandle('CephFilesystemSubVolumeGroup rook-ceph/g')],
  },
  {
    name: 'takes the rados namespace of a profile in the pool of the number',
    objects: [
      aVolume('v', { handle: aHandle('profile', 3) }),
      aProfile('profile', 'rook-ceph', { rbd: { radosNamespace: 'n' } }),
      numbered('p', 3),
      numbered('q', 4),
      aRadosNamespace('n', 'p'),
      aRadosNamespace('m', 'q', { spec: { name: 'n' } }),
    ],
    edges: [byHandle('CephBlockPool rook-ceph/p'), byHandle('CephBlockPoolRadosNamespace rook-ceph/n')],
  },
  {
    name: 'takes the filesystem of the class',
    objects: [
      aNameless({ driver: CEPHFS, handle: aHandle('rook-ceph', 1), spec: { storageClassName: 'sc' } }),
      aClass('sc', CEPHFS, { clusterID: 'rook-ceph', fsName: 'a' }),
      aFilesystem('a'),
      aFilesystem('b'),
    ],
    edges: [byClass('CephFilesystem rook-ceph/a')],
  },
  {
    name: 'takes nothing without any clusterID',
    objects: [aVolume('v', { handle: 'image' }), aPool('p'), aCluster()],
    edges: [],
  },
])('RD023 (E23) $name', (row) => {
  expectEdges('RD023', row);
});
