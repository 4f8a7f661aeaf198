import { describe, expect, test } from 'vitest';
import { shortName, type Cause, type Deletion, type ObjectName } from '#pkg/verdict';
import { nextSteps } from './next-steps.ts';

const POOL: ObjectName = {
  apiVersion: 'ceph.rook.io/v1',
  kind: 'CephBlockPool',
  namespace: 'rook-ceph',
  name: 'p',
};
const NONE = { causes: [], gaps: [] };
const DELETION: Deletion = { requestedAt: '2026-11-12T16:03:27Z', finalizers: [], conditions: [] };

function cause(code: string, object: ObjectName): Cause {
  return { code, relation: 'needs', message: '', object };
}

describe('a short name', () => {
  const rows: { apiVersion: string; kind: string; name: string; short: string }[] = [
    { apiVersion: 'ceph.rook.io/v1', kind: 'CephNFS', name: 'n', short: 'cephnfs/n' },
    { apiVersion: 'v1', kind: 'Pod', name: 'db-0', short: 'pod/db-0' },
    {
      apiVersion: 'objectbucket.io/v1alpha1',
      kind: 'ObjectBucket',
      name: 'b',
      short: 'objectbucket.objectbucket.io/b',
    },
    { apiVersion: 'v1', kind: 'Pod', name: 'a b', short: `'pod/a b'` },
    { apiVersion: 'v1', kind: 'Pod', name: '$(reboot)', short: `'pod/$(reboot)'` },
    { apiVersion: 'v1', kind: 'Pod', name: `';reboot;'`, short: `'pod/'\\'';reboot;'\\'''` },
    { apiVersion: 'v1', kind: 'Pod', name: 'a\nreboot', short: `'pod/a\nreboot'` },
  ];
  test.for(rows)('of $kind $name is $short', ({ short, ...object }) => {
    expect(shortName(object)).toBe(short);
  });
});

describe('the next commands', () => {
  test('of a blocked object ask about the first three of Rook that hold it, and explain three codes', () => {
    const names = ['a', 'b', 'c', 'd'];
    const causes = [
      ...names.map((name) => cause('RD002', { ...POOL, kind: 'CephClient', name })),
      cause('RD023', { apiVersion: 'v1', kind: 'PersistentVolume', name: 'v' }),
      cause('RD024', { apiVersion: 'snapshot.storage.k8s.io/v1', kind: 'VolumeSnapshotContent', name: 's' }),
      cause('RD027', { apiVersion: 'ceph', kind: 'RBDImage', name: 'i' }),
    ];
    expect(nextSteps({ subject: POOL, verdict: 'Blocked', causes, gaps: [] })).toEqual([
      'kubectl rook-deps tree cephblockpool/p -n rook-ceph',
      'kubectl rook-deps why cephclient/a -n rook-ceph',
      'kubectl rook-deps why cephclient/b -n rook-ceph',
      'kubectl rook-deps why cephclient/c -n rook-ceph',
      'kubectl rook-deps explain RD002',
      'kubectl rook-deps explain RD023',
      'kubectl rook-deps explain RD024',
    ]);
  });

  test('of a deletable object delete it', () => {
    expect(nextSteps({ subject: POOL, verdict: 'Deletable', ...NONE })).toEqual([
      'kubectl delete cephblockpool/p -n rook-ceph',
    ]);
  });

  test('never delete anything else', () => {
    for (const verdict of ['Blocked', 'Unknown'] as const) {
      const lines = nextSteps({ subject: POOL, verdict, causes: [cause('RD002', POOL)], gaps: [] });
      expect(lines.join('\n')).not.toContain('delete');
    }
  });

  const watch = 'kubectl get cephblockpool/p -n rook-ceph --watch';
  const find = 'kubectl get pods -A -l app=rook-ceph-operator';
  const operators = [
    { operator: 'Running', lines: [watch] },
    { operator: undefined, lines: [watch] },
    { operator: 'NotRunning', lines: [find, watch] },
    { operator: 'NotFound', lines: [find, watch] },
    { operator: 'Unknown', lines: [find, watch] },
  ] as const;
  test.for(operators)('of a terminating object watch it; operator: $operator', ({ operator, lines }) => {
    const deletion = operator ? { ...DELETION, operator } : DELETION;
    expect(nextSteps({ subject: POOL, verdict: 'Deletable', deletion, ...NONE })).toEqual(lines);
  });

  test('of an unknown verdict check the rights that are missing, and tell what only Ceph knows', () => {
    const gaps = [
      { what: 'PersistentVolume', reason: 'forbidden: not you' },
      { what: 'CephClient in other namespaces', reason: 'forbidden: not there' },
      { what: 'StorageClass', reason: 'Error from server (InternalError): etcd is sad' },
      { what: 'RBD images', reason: 'only Ceph can tell, and it was not asked' },
    ];
    expect(nextSteps({ subject: POOL, verdict: 'Unknown', causes: [], gaps, lacksCeph: true })).toEqual([
      'kubectl auth can-i list persistentvolumes --all-namespaces',
      'kubectl auth can-i list cephclients.ceph.rook.io --all-namespaces',
      'kubectl rook-deps explain RD027',
    ]);
  });

  test('quote a namespace that a shell would read', () => {
    const subject = { ...POOL, namespace: 'a;b' };
    expect(nextSteps({ subject, verdict: 'Deletable', ...NONE })).toEqual([
      `kubectl delete cephblockpool/p -n 'a;b'`,
    ]);
  });
});
