import { test } from 'vitest';
import { Kinds } from '#pkg/object';
import { aFilesystem, anObject, aPool, aRadosNamespace, type Parts } from '#test/fixtures/objects.ts';
import { expectEdges, type RuleRow } from '#test/fixtures/rule-rows.ts';

const anRbdMirror = (name: string, parts?: Parts) => anObject(Kinds.CephRBDMirror, name, parts);
const aFilesystemMirror = (name: string, parts?: Parts) => anObject(Kinds.CephFilesystemMirror, name, parts);
const mirrored = { spec: { mirroring: { enabled: true } } };

test.for<RuleRow>([
  {
    name: 'ties a mirrored pool to every daemon of the namespace',
    objects: [aPool('p', mirrored), anRbdMirror('m'), anRbdMirror('n')],
    edges: [
      'CephBlockPool rook-ceph/p → CephRBDMirror rook-ceph/m at spec.mirroring',
      'CephBlockPool rook-ceph/p → CephRBDMirror rook-ceph/n at spec.mirroring',
    ],
  },
  {
    name: 'takes the section of a rados namespace for the switch',
    objects: [
      aRadosNamespace('n', 'p', { spec: { mirroring: {} } }),
      aRadosNamespace('o', 'p'),
      anRbdMirror('m'),
    ],
    edges: ['CephBlockPoolRadosNamespace rook-ceph/n → CephRBDMirror rook-ceph/m at spec.mirroring'],
  },
  {
    name: 'leaves out what is not switched on',
    objects: [
      aPool('off', { spec: { mirroring: { enabled: false } } }),
      aPool('section', { spec: { mirroring: { mode: 'image' } } }),
      aPool('text', { spec: { mirroring: { enabled: 'true' } } }),
      aPool('none'),
      anRbdMirror('m'),
    ],
    edges: [],
  },
  {
    name: 'stays in the namespace',
    objects: [aPool('p', mirrored), anRbdMirror('m', { namespace: 'other' })],
    edges: [],
  },
  {
    name: 'finds nothing without a daemon',
    objects: [aPool('p', mirrored), aFilesystemMirror('f')],
    edges: [],
  },
])('RD018 (E18) $name', (row) => {
  expectEdges('RD018', row);
});

test.for<RuleRow>([
  {
    name: 'ties a mirrored filesystem to the daemon of the namespace',
    objects: [aFilesystem('fs', mirrored), aFilesystemMirror('m'), anRbdMirror('r')],
    edges: ['CephFilesystem rook-ceph/fs → CephFilesystemMirror rook-ceph/m at spec.mirroring'],
  },
  {
    name: 'leaves out what is not switched on',
    objects: [aFilesystem('fs', { spec: { mirroring: {} } }), aFilesystem('none'), aFilesystemMirror('m')],
    edges: [],
  },
  {
    name: 'stays in the namespace',
    objects: [aFilesystem('fs', mirrored), aFilesystemMirror('m', { namespace: 'other' })],
    edges: [],
  },
  { name: 'finds nothing without a daemon', objects: [aFilesystem('fs', mirrored)], edges: [] },
])('RD019 (E19) $name', (row) => {
  expectEdges('RD019', row);
});
