import { Kinds, refOf, textAt } from '#pkg/object';
import type { Rule } from './rule.ts';

/** Today every CephNFS uses the pool `.nfs`; older Rook took it from the spec. */
export const nfsPool: Rule = {
  code: 'RD015',
  title: 'An NFS server that keeps its exports in the pool',
  relation: 'keeps its exports in',
  blocks: true,
  reads: [Kinds.CephNFS],
  targets: [Kinds.CephBlockPool, Kinds.CephFilesystem, Kinds.CephObjectStore, Kinds.CephObjectZone],
  meaning:
    'A CephNFS stores its exports and its recovery state in a pool: .nfs, or the one of spec.rados.pool with older ' +
    'Rook. Without the pool its clients lose their mounts.',
  remedy: ['Make sure nobody mounts the exports, then delete the CephNFS, before the pool.'],
  *references(nfs, lookup) {
    const namespace = nfs.metadata.namespace ?? '';
    const chosen = textAt(nfs, 'spec', 'rados', 'pool');
    if (chosen)
      for (const owner of lookup.poolOwners(namespace, chosen))
        yield { to: refOf(owner), field: 'spec.rados.pool' };
    for (const owner of lookup.poolOwners(namespace, '.nfs')) yield { to: refOf(owner), detail: 'pool .nfs' };
  },
};
