import { Kinds, refOf, textAt } from '#pkg/object';
import type { Rule } from './rule.ts';

/** Rook writes these for every cluster, so they are shown but do not hold it. */
export const csiConnection: Rule = {
  code: 'RD029',
  title: 'A CSI connection or client profile of the cluster',
  relation: 'connects to',
  blocks: false,
  reads: [Kinds.CephConnection, Kinds.ClientProfile],
  targets: [Kinds.CephCluster],
  across: true,
  meaning:
    'CephConnections and ClientProfiles of csi.ceph.io tell the CSI drivers how to reach the cluster. Rook makes them; ' +
    'they live in the namespace of the operator and are of no use without the cluster.',
  remedy: ['Nothing has to be done before a deletion: they do not block. The volumes that use them do.'],
  *references(object, lookup) {
    const isProfile = object.kind === 'ClientProfile';
    // A connection bears the name of its cluster's namespace.
    const namespace = isProfile ? textAt(object, 'spec', 'cephConnectionRef', 'name') : object.metadata.name;
    if (!namespace) return;
    const field = isProfile ? 'spec.cephConnectionRef.name' : 'metadata.name';
    for (const cluster of lookup.ofKind(Kinds.CephCluster, namespace)) yield { to: refOf(cluster), field };
  },
};
