import { Kinds, refOf } from '#pkg/object';
import { isExternalStore } from './ceph-pools.ts';
import type { Rule } from './rule.ts';

/** No field mentions `.rgw.root`: every gateway uses it. */
export const realmPool: Rule = {
  code: 'RD014',
  title: 'An object store that keeps its realm in .rgw.root',
  relation: 'keeps its realm in',
  blocks: true,
  reads: [Kinds.CephObjectStore, Kinds.CephObjectZone],
  targets: [Kinds.CephBlockPool],
  meaning:
    'The pool .rgw.root holds the realms, zone groups and zones of every object store of the cluster. Without it no ' +
    'gateway starts.',
  remedy: [
    'Delete all object stores and zones of the cluster before a CephBlockPool with spec.name: .rgw.root.',
  ],
  *references(object, lookup) {
    if (object.kind === 'CephObjectStore' && isExternalStore(object)) return;
    for (const owner of lookup.poolOwners(object.metadata.namespace ?? '', '.rgw.root')) {
      if (owner.kind === 'CephBlockPool') yield { to: refOf(owner), detail: 'pool .rgw.root' };
    }
  },
};
