import { Kinds } from '#pkg/object';
import { byName } from './by-name.ts';

export const storeZone = byName({
  code: 'RD010',
  title: 'An object store that serves the zone',
  relation: 'serves',
  reads: Kinds.CephObjectStore,
  field: ['spec', 'zone', 'name'],
  target: Kinds.CephObjectZone,
  meaning: 'In a multisite set-up the zone owns the pools, and the store is their gateway.',
  remedy: ['Delete the store first, then the zone, the zone group and the realm, in this order.'],
});
