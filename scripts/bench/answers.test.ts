import { describe, expect, test } from 'vitest';
import { listedInReport, listedInTable, listedInTree } from './answers.ts';

describe('listedInTable', () => {
  test('counts each object below the root once', () => {
    const table = [
      'NAMESPACE   NAME                     READY   AGE',
      'rook-ceph   CephCluster/rook-ceph    -       34s',
      'rook-ceph   ├── Deployment/mon       1/1     21s',
      'rook-ceph   │   └── Pod/mon-x        1/1     21s',
      'rook-ceph   └── Service/mon          -       21s',
      'rook-ceph       └── Pod/mon-x        1/1     21s',
      'other           └── Pod/mon-x        1/1     21s',
      '',
    ];
    expect(listedInTable(table.join('\n'))).toBe(4);
  });

  test('reads a table without namespaces', () => {
    expect(listedInTable('NAME                READY\nCephCluster/a       -\n└── Pod/b           1/1\n')).toBe(
      1,
    );
  });

  test('counts nothing in a sentence', () => {
    expect(listedInTable('No resources are owned by this object through ownerReferences.\n')).toBe(0);
  });
});

test('listedInReport counts an object once, whatever the number of its relations', () => {
  const volume = { apiVersion: 'v1', kind: 'PersistentVolume', name: 'a' };
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'n', name: 'a' };
  const report = { causes: [{ object: volume }, { object: volume }], related: [{ object: claim }] };
  expect(listedInReport(JSON.stringify(report))).toBe(2);
});

test('listedInTree leaves the root out', () => {
  expect(listedInTree('cephcluster.ceph.rook.io/a\npod/b\npod/c\n')).toBe(2);
});
