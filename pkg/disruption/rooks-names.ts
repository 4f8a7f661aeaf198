import { rooksDomain } from '#pkg/drain';
import {
  fieldAt,
  Kinds,
  refOf,
  sameKind,
  type KubeObject,
  type OwnerReference,
  type Writer,
} from '#pkg/object';
import { MANAGED_BY, PURPOSE } from './budgets.ts';
import { MONITOR_BUDGET } from './daemon-budgets.ts';

/**
 * Whether Rook keeps a budget of this name for a drain, and takes it away itself. Its type of failure domain may be another
 * than Ceph's, and without a pool it does nothing.
 */
export function isRooksBlocking({ spec }: KubeObject, services: readonly KubeObject[]): boolean {
  const type = rooksDomain(services);
  const labels = fieldAt(spec, 'selector', 'matchLabels');
  return type !== undefined && fieldAt(labels, `topology-location-${type}`) !== undefined;
}

/**
 * Whether Rook has a budget of this name for a daemon, once it is told to make budgets; and by whom it is owned then. Rook
 * takes what it finds under the name for its own, and those of gateways and metadata servers it never writes again.
 */
export function rooksOwner(
  { metadata }: KubeObject,
  services: readonly KubeObject[],
): readonly OwnerReference[] | undefined {
  if ([MONITOR_BUDGET, 'rook-ceph-mgr-pdb'].includes(metadata.name)) return metadata.ownerReferences ?? [];
  const resource = services.find((service) => serviceBudgetName(service) === metadata.name);
  if (!resource) return undefined;
  const { apiVersion, kind } = resource;
  const { name, uid = '' } = resource.metadata;
  return [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false }];
}

function serviceBudgetName(service: KubeObject): string | undefined {
  const { name } = service.metadata;
  if (sameKind(refOf(service), Kinds.CephFilesystem)) return `rook-ceph-mds-${name}`;
  return sameKind(refOf(service), Kinds.CephObjectStore) ? `rook-ceph-rgw-${name}` : undefined;
}

/** Takes our marks off a budget that Rook goes on with. One that it has deleted meanwhile does not come back. */
export async function leave(
  budget: KubeObject,
  ownerReferences: readonly OwnerReference[],
  writer: Writer,
  signal: AbortSignal,
): Promise<void> {
  const labels = { [MANAGED_BY]: null, [PURPOSE]: null };
  const { uid } = budget.metadata;
  const body = { metadata: { uid, labels, ownerReferences } };
  await writer.patch(refOf(budget), { type: 'merge', body }, signal);
}
