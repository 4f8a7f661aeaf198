import { Kinds, recordAt, refOf, textAt, type KubeObject } from '#pkg/object';
import type { Lookup } from './lookup.ts';
import type { Rule } from './rule.ts';

/** Peers pull from the master zone. Ceph knows which zone that is; here it is the first one made, as Ceph chooses it. */
export const zonePeers: Rule = {
  code: 'RD028',
  title: 'A peer zone that replicates from the zone of the store',
  relation: 'replicates from',
  blocks: true,
  reads: [Kinds.CephObjectZone],
  targets: [Kinds.CephObjectStore],
  consults: [
    { kind: Kinds.CephObjectZone },
    { kind: Kinds.CephObjectZoneGroup },
    { kind: Kinds.CephObjectRealm },
  ],
  meaning:
    'The zone group has further zones, and the store serves its master zone: the others replicate from it, and they ' +
    'cannot be managed without it. Zones in other clusters are known to Ceph only.',
  remedy: [
    'Remove the peer zones first, or make another zone the master: radosgw-admin zone modify --master, then period update --commit.',
  ],
  *references(peer, lookup) {
    const master = masterOf(peer, lookup);
    if (!master || master.metadata.name === peer.metadata.name) return;
    for (const store of lookup.ofKind(Kinds.CephObjectStore, peer.metadata.namespace)) {
      const serves = textAt(store, 'spec', 'zone', 'name') === master.metadata.name;
      if (serves) yield { to: refOf(store), field: 'spec.zoneGroup' };
    }
  },
};

/** The oldest zone of the group, unless the realm is pulled from elsewhere or the ages are not known. */
function masterOf(zone: KubeObject, lookup: Lookup): KubeObject | undefined {
  const namespace = zone.metadata.namespace;
  const groupName = textAt(zone, 'spec', 'zoneGroup');
  const group = groupName ? lookup.object(Kinds.CephObjectZoneGroup, namespace, groupName) : undefined;
  const realmName = group && textAt(group, 'spec', 'realm');
  const realm = realmName ? lookup.object(Kinds.CephObjectRealm, namespace, realmName) : undefined;
  if (!realm || Object.keys(recordAt(realm, 'spec', 'pull')).length > 0) return undefined;
  const zones = lookup
    .ofKind(Kinds.CephObjectZone, namespace)
    .filter((other) => textAt(other, 'spec', 'zoneGroup') === groupName);
  const dated = zones.map((other) => ({
    other,
    made: Date.parse(textAt(other, 'metadata', 'creationTimestamp') ?? ''),
  }));
  if (dated.some(({ made }) => Number.isNaN(made))) return undefined;
  const [first, second] = dated.sort((a, b) => a.made - b.made);
  return first && second && first.made < second.made ? first.other : undefined;
}
