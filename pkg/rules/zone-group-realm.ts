import { Kinds } from '#pkg/object';
import { byName } from './by-name.ts';

export const zoneGroupRealm = byName({
  code: 'RD012',
  title: 'A zone group of the realm',
  relation: 'is a zone group of',
  reads: Kinds.CephObjectZoneGroup,
  field: ['spec', 'realm'],
  target: Kinds.CephObjectRealm,
  meaning:
    'Rook holds no finalizer on a CephObjectRealm: it is gone at once, and everything below it can then no longer be ' +
    'reconciled or deleted.',
  remedy: ['Delete the stores, the zones and the zone groups of the realm, in this order, before the realm.'],
});
