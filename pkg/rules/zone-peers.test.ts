import { test } from 'vitest';
import { Kinds } from '#pkg/object';
import { anObject, aStore, aZone, type Parts } from '#test/fixtures/objects.ts';
import { expectEdges, type RuleRow } from '#test/fixtures/rule-rows.ts';

const realm = anObject(Kinds.CephObjectRealm, 'r');
const group = anObject(Kinds.CephObjectZoneGroup, 'g', { spec: { realm: 'r' } });
const zone = (name: string, day: number, parts: Parts = {}) =>
  aZone(name, { creationTimestamp: `2026-01-0${day}T00:00:00Z`, spec: { zoneGroup: 'g' }, ...parts });
const store = (name: string, zoneName: string) => aStore(name, { spec: { zone: { name: zoneName } } });
const to = (peer: string) =>
  `CephObjectZone rook-ceph/${peer} → CephObjectStore rook-ceph/s at spec.zoneGroup`;

test.for<RuleRow>([
  {
    name: 'ties the younger zones to the stores of the oldest',
    objects: [
      realm,
      group,
      zone('b', 2),
      zone('a', 1),
      zone('c', 3),
      store('s', 'a'),
      store('t', 'b'),
      aStore('a'),
    ],
    edges: [to('b'), to('c')],
  },
  {
    name: 'finds no peer of a single zone',
    objects: [realm, group, zone('a', 1), store('s', 'a')],
    edges: [],
  },
  {
    name: 'leaves other zone groups and namespaces out',
    objects: [
      realm,
      group,
      zone('a', 1),
      zone('b', 2, { spec: { zoneGroup: 'g2' } }),
      zone('c', 3, { namespace: 'other' }),
      store('s', 'a'),
    ],
    edges: [],
  },
  {
    name: 'does not guess the master of a pulled realm',
    objects: [
      anObject(Kinds.CephObjectRealm, 'r', { spec: { pull: { endpoint: 'http://192.0.2.1' } } }),
      group,
      zone('a', 1),
      zone('b', 2),
      store('s', 'a'),
    ],
    edges: [],
  },
  {
    name: 'takes an empty pull for none',
    objects: [
      anObject(Kinds.CephObjectRealm, 'r', { spec: { pull: {} } }),
      group,
      zone('a', 1),
      zone('b', 2),
      store('s', 'a'),
    ],
    edges: [to('b')],
  },
  {
    name: 'does not guess between zones of the same age',
    objects: [realm, group, zone('a', 1), zone('b', 1), store('s', 'a')],
    edges: [],
  },
  ...[
    { what: 'null', creationTimestamp: null },
    { what: 'not a time', creationTimestamp: 'yesterday' },
    { what: 'an object', creationTimestamp: { toString: 1, valueOf: 1 } as unknown as string },
  ].map(({ what, creationTimestamp }) => ({
    name: `does not guess when an age is ${what}`,
    objects: [realm, group, zone('a', 1), zone('b', 2, { creationTimestamp }), store('s', 'a')],
    edges: [],
  })),
  {
    name: 'finds nothing when the zone group or the realm is missing',
    objects: [
      group,
      zone('a', 1),
      zone('b', 2),
      zone('c', 3, { spec: { zoneGroup: 'gone' } }),
      store('s', 'a'),
    ],
    edges: [],
  },
  { name: 'finds nothing without a store', objects: [realm, group, zone('a', 1), zone('b', 2)], edges: [] },
])('RD028 (E28) $name', (row) => {
  expectEdges('RD028', row);
});
