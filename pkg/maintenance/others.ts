import { numberAt, textAt, type GroupKind } from '#pkg/object';
import { listAll, type ObserverReader } from './observe.ts';

/** The node maintenance operator of medik8s, and the leases that it and its kin take on nodes. */
const FOREIGN: GroupKind = { group: 'nodemaintenance.medik8s.io', kind: 'NodeMaintenance' };
const LEASE: GroupKind = { group: 'coordination.k8s.io', kind: 'Lease' };
const LEASES = 'medik8s-leases';

/** Nodes that another operator maintains. */
export async function foreignMaintenances(
  reader: ObserverReader,
  signal: AbortSignal,
): Promise<readonly { readonly node: string; readonly by: string }[]> {
  const found = await listAll(reader, FOREIGN, {}, signal);
  return found.map((object) => ({
    node: textAt(object, 'spec', 'nodeName') ?? '',
    by: `nodemaintenance.medik8s.io/${object.metadata.name}`,
  }));
}

/** Who else holds this node, in words. A lease whose time is over holds nothing. */
export async function foreignHolders(
  node: string,
  reader: ObserverReader,
  now: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const [maintenances, lease] = await Promise.all([
    foreignMaintenances(reader, signal),
    reader.get(LEASE, LEASES, `node-${node}`, signal),
  ]);
  const own = maintenances
    .filter((one) => one.node === node)
    .map(({ by }) => `${by} maintains this node already`);
  const holder = textAt(lease, 'spec', 'holderIdentity');
  const until =
    Date.parse(textAt(lease, 'spec', 'renewTime') ?? '') +
    (numberAt(lease, 'spec', 'leaseDurationSeconds') ?? 0) * 1000;
  // A lease without a time does not say that it is over.
  const isHeld = holder !== undefined && !(until <= now);
  return [...own, ...(isHeld ? [`"${holder}" holds the lease ${LEASES}/node-${node}`] : [])];
}
