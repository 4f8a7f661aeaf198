import { expect, test } from 'vitest';
import { objectLabel, resourceName } from './object-label.ts';

const NFS = { kind: 'CephNFS', namespace: 'rook-ceph', name: 'n' };

test('a resource is named as kubectl names it', () => {
  expect(resourceName({ apiVersion: 'ceph.rook.io/v1', ...NFS })).toBe('cephnfs.ceph.rook.io/n');
  expect(resourceName({ apiVersion: 'v1', kind: 'Pod', name: 'p' })).toBe('pod/p');
});

test('a label tells the namespace where it is another', () => {
  expect(objectLabel(NFS, 'rook-ceph')).toBe('CephNFS/n');
  expect(objectLabel(NFS, 'shop')).toBe('CephNFS/n (rook-ceph)');
  expect(objectLabel(NFS, undefined)).toBe('CephNFS/n (rook-ceph)');
  expect(objectLabel({ kind: 'PersistentVolume', name: 'v' }, 'shop')).toBe('PersistentVolume/v');
});
