import { Kinds } from '#pkg/object';
import { byName } from './by-name.ts';

export const zoneZoneGroup = byName({
  code: 'RD011',
  title: 'A zone of the zone group',
  relation: 'is a zone of',
  reads: Kinds.CephObjectZone,
  field: ['spec', 'zoneGroup'],
  target: Kinds.CephObjectZoneGroup,
  meaning:
    'Rook holds no finalizer on a CephObjectZoneGroup: it is gone at once, and its zones can then no longer be ' +
    'reconciled or deleted.',
  remedy: ['Delete the stores of the zone, then the zone, before the zone group.'],
});
