import { fieldAt, Kinds, listAt, refOf, textAt, type KubeObject } from '#pkg/object';
import type { Rule } from './rule.ts';

/** Deleting a shared pool destroys the buckets of every store and zone that uses it, and Rook lets it happen. */
export const sharedPools: Rule = {
  code: 'RD013',
  title: 'An object store or zone that keeps its data in the shared pool',
  relation: 'keeps its buckets in',
  blocks: true,
  reads: [Kinds.CephObjectStore, Kinds.CephObjectZone],
  targets: [Kinds.CephBlockPool],
  meaning:
    'With spec.sharedPools an object store keeps objects and their index in pools of CephBlockPools. Rook only counts ' +
    'RBD images before it deletes a pool, so a pool full of buckets looks empty to it (rook#15847).',
  remedy: [
    'Move or delete the buckets, then delete the object store or zone, before the pool.',
    'The field names the pool inside Ceph, which may differ from the name of the CephBlockPool.',
  ],
  *references(store, lookup) {
    for (const [field, pool] of sharedPoolFields(store)) {
      for (const owner of lookup.poolOwners(store.metadata.namespace ?? '', pool)) {
        if (owner.kind === 'CephBlockPool') yield { to: refOf(owner), field };
      }
    }
  },
};

function* sharedPoolFields(store: KubeObject): Iterable<readonly [field: string, pool: string]> {
  const shared = fieldAt(store, 'spec', 'sharedPools');
  const root = 'spec.sharedPools';
  yield* named(shared, root, ['metadataPoolName', 'dataPoolName']);
  for (const [p, placement] of listAt(shared, 'poolPlacements').entries()) {
    const path = `${root}.poolPlacements[${p}]`;
    yield* named(placement, path, ['metadataPoolName', 'dataPoolName', 'dataNonECPoolName']);
    for (const [s, storageClass] of listAt(placement, 'storageClasses').entries()) {
      yield* named(storageClass, `${path}.storageClasses[${s}]`, ['dataPoolName']);
    }
  }
}

function* named(
  value: unknown,
  path: string,
  fields: readonly string[],
): Iterable<readonly [string, string]> {
  for (const field of fields) {
    const pool = textAt(value, field);
    if (pool) yield [`${path}.${field}`, pool];
  }
}
