import { describe, expect, test } from 'vitest';
import { run } from '#test/fakes/program.ts';
import { aCluster, aPool, aVolume } from '#test/fixtures/objects.ts';

const volume = aVolume('v', { attributes: { clusterID: 'rook-ceph', pool: 'p' } });
const saved = (...objects: readonly object[]) => ({ stdin: JSON.stringify(objects) });

describe('delete', () => {
  test('plans from saved manifests', async () => {
    const line = 'delete cephcluster/rook-ceph --from - --dry-run=client';
    const objects = saved(aCluster(), aPool('p'));
    const { code, out } = await run(`${line} --no-ceph`, objects);
    expect(code).toBe(0);
    expect(out).toBe(`To be deleted, leaves first: 2 objects (1 CephBlockPool, 1 CephCluster)
  1  CephBlockPool/p
  2  CephCluster/rook-ceph

Note: Ceph was left out, so this says nothing about RBD images, snapshots and objects in pool p
`);
    const unasked = await run(line, objects);
    expect(unasked.code).toBe(1);
    expect(unasked.out).toContain(`Not checked, so nothing is safe to delete:
  RBD images, snapshots and objects in pool p: only Ceph can tell, and it was not asked
`);
  });

  test('says what is in the way', async () => {
    const { code, out, err } = await run(
      'delete cephbp/p --from - --dry-run=client',
      saved(aCluster(), aPool('p'), volume),
    );
    expect(code).toBe(1);
    expect(out).toContain('PersistentVolume/v keeps its data in CephBlockPool/p');
    expect(err).toBe('error: something is in the way, so nothing would be deleted\n');
  });

  test.for([
    { line: 'delete', says: 'You must specify the type of resource' },
    { line: 'delete cephbp', says: 'resource(s) were provided, but no name was specified' },
    { line: 'delete cephbp/p --from -', says: 'only --dry-run=client can plan' },
    { line: 'delete cephbp/p -o json', says: 'needs --dry-run=client' },
    { line: 'delete cephbp/p --dry-run=maybe', says: 'Invalid dry-run value (maybe)' },
    { line: 'delete cephbp/p --cascade=sideways', says: 'must be one of background, foreground, orphan' },
    { line: 'delete cephbp/p --timeout=soon', says: 'must be a time such as 90s or 5m' },
    { line: 'delete cephbp/p --from - --dry-run=client', says: '"p" not found in the files' },
  ])('$line: $says', async ({ line, says }) => {
    const { code, out, err } = await run(line, saved(aCluster()));
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(says);
  });

  test('does not take an unknown kind for one that nothing depends on', async () => {
    const { code, out } = await run(
      'delete secret/s --from - --dry-run=client',
      saved({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'default' } }),
    );
    expect(code).toBe(1);
    expect(out).toContain('dependents of Secret: no rule knows what depends on this kind');
  });
});
