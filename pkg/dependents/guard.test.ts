import { describe, expect, test } from 'vitest';
import type { Deletion } from '#pkg/admission';
import { Kinds, refOf, type KubeObject, type ObjectRef } from '#pkg/object';
import { deletionOf, namespace } from '#test/fakes/usage-world.ts';
import { anObject, aPool } from '#test/fixtures/objects.ts';
import { NOTHING, type Finding } from './finding.ts';
import { dependentsGuard, type DependentsGuardPorts } from './guard.ts';

const SIGNAL = new AbortController().signal;
const POOL = aPool('p');
const of = (object: KubeObject): Deletion => ({ object, request: deletionOf(object) });
const HELD: Finding = {
  blockers: [{ group: '', kind: 'PersistentVolume', name: 'pv', code: 'RD023' }],
  counts: { PersistentVolume: 1 },
  gaps: [],
};

function guardWith(ports: Partial<DependentsGuardPorts>) {
  const asked: ObjectRef[] = [];
  const guard = dependentsGuard({
    held: () => NOTHING,
    find: async () => NOTHING,
    exists: async (ref) => asked.push(ref) > 0,
    ...ports,
  });
  return { guard, asked };
}

describe('a glance', () => {
  test('objects in words and causes when the cache knows a blocker that is still there', async () => {
    const { guard } = guardWith({ held: () => HELD });
    expect(await guard.glance(of(POOL), SIGNAL)).toEqual({
      lines: [
        'CephBlockPool "rook-ceph/p" is needed by 1 PersistentVolume:',
        '- PersistentVolume pv (RD023)',
      ],
      causes: [{ reason: 'RD023', message: 'PersistentVolume pv depends on CephBlockPool "rook-ceph/p"' }],
    });
  });

  test('does not object for the sake of one that is gone', async () => {
    const { guard } = guardWith({ held: () => HELD, exists: async () => false });
    expect(await guard.glance(of(POOL), SIGNAL)).toBeUndefined();
  });

  test('asks the server nothing where the cache knows nobody', async () => {
    const { guard, asked } = guardWith({});
    expect(await guard.glance(of(POOL), SIGNAL)).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

describe('a look', () => {
  test('allows what nothing depends on', async () => {
    expect(await guardWith({}).guard.look(of(POOL), SIGNAL)).toBeUndefined();
  });

  test('doubts what could not be looked at', async () => {
    const gaps = [{ what: 'PersistentVolume', reason: 'forbidden: no' }];
    const { guard } = guardWith({ find: async () => ({ ...NOTHING, gaps }) });
    const objection = await guard.look(of(POOL), SIGNAL);
    expect(objection?.isDoubt).toBe(true);
    expect(objection?.lines.join('\n')).toMatch(
      /- PersistentVolume \(forbidden: no\)\n.*install\n.*force-delete/,
    );
  });

  test('tells who lacks the right to list Secrets how it is given', async () => {
    const gaps = [
      { what: 'Bucket b', reason: 'cannot tell where it is stored' },
      { what: 'Secret', reason: 'forbidden: no' },
    ];
    const { guard } = guardWith({ find: async () => ({ ...NOTHING, gaps }) });
    const text = (await guard.look(of(POOL), SIGNAL))?.lines.join('\n') ?? '';
    expect(text).toContain('aggregate-to-controller=true');
    expect(text).not.toContain('kubectl rook-deps install');
  });

  test('says where Ceph is asked, and how to do without its answer or its data', async () => {
    const gaps = [{ what: 'RBD images in pool p', reason: 'no answer' }];
    const { guard } = guardWith({ find: async () => ({ ...NOTHING, gaps, lacksCeph: true }) });
    const text = (await guard.look(of(POOL), SIGNAL))?.lines.join('\n') ?? '';
    expect(text).toMatch(
      /RBD images in pool p \(no answer\)\n.*rook-deps-ceph.*\n.*--ceph=prefer\n.*yes-really-destroy-data.*\n.*force-delete/,
    );
  });

  test('says to whom has given up a cluster what still holds it, and how volumes are given up', async () => {
    const cleanupPolicy = { confirmation: 'yes-really-destroy-data' };
    const cluster = anObject(Kinds.CephCluster, 'c', { namespace: 'rook-ceph', spec: { cleanupPolicy } });
    const lines = async (object: KubeObject): Promise<string> =>
      (await guardWith({ find: async () => HELD }).guard.look(of(object), SIGNAL))?.lines.join('\n') ?? '';
    expect(await lines(cluster)).toMatch(/- PersistentVolume pv .*\n.*allowUninstallWithVolumes: true$/);
    expect(await lines(POOL)).not.toContain('allowUninstallWithVolumes');
  });

  test('names what would go with a namespace, and who needs it', async () => {
    const [blocker] = HELD.blockers;
    const blockers = blocker ? [{ ...blocker, of: refOf(POOL) }] : [];
    const { guard } = guardWith({ find: async () => ({ ...HELD, blockers }) });
    expect(await guard.look(of(namespace('rook-ceph')), SIGNAL)).toEqual({
      lines: [
        'Namespace "rook-ceph" would take along what is needed by 1 PersistentVolume:',
        '- PersistentVolume pv (RD023), which needs CephBlockPool rook-ceph/p',
      ],
      causes: [{ reason: 'RD023', message: 'PersistentVolume pv depends on CephBlockPool "rook-ceph/p"' }],
    });
  });

  test('has no opinion on what is not of Rook', async () => {
    const { guard } = guardWith({ held: () => HELD, find: async () => HELD });
    const secret = anObject(Kinds.Secret, 's');
    expect(await guard.glance(of(secret), SIGNAL)).toBeUndefined();
    expect(await guard.look(of(secret), SIGNAL)).toBeUndefined();
  });
});
