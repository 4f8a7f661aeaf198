import type { Quorum } from '#pkg/ceph';
import {
  isTrueAt,
  Kinds,
  listAt,
  numberAt,
  refOf,
  sameKind,
  type GroupKind,
  type KubeObject,
} from '#pkg/object';
import { budget, type BudgetOwner, type BudgetSpec } from './budgets.ts';

/** From this many monitors on, two may be missing. */
const MANY_MONITORS = 5;

export const MONITOR_BUDGET = 'rook-ceph-mon-pdb';

/** What is known of the monitors. */
export interface Monitors {
  /** Absent while Ceph does not answer. */
  readonly quorum: Quorum | undefined;
  /** How many the budget that is there lets go. */
  readonly allowed: number | undefined;
}

/**
 * Budgets of the daemons that are no OSDs. They follow the counts that are asked for; one that would allow nothing to go
 * for ever is not made, because a single daemon cannot be spared and cannot be kept either.
 */
export function daemonBudgets(
  cluster: KubeObject,
  resources: readonly KubeObject[],
  monitors: Monitors,
  owner: BudgetOwner,
): readonly KubeObject[] {
  return [
    ...monitorBudget(cluster, monitors, owner),
    ...managerBudget(cluster, owner),
    ...resources.flatMap((resource) => serviceBudget(resource, owner)),
    ...mirrorBudgets(resources, owner),
  ];
}

/** Whether the number of monitors in quorum matters. */
export function needsQuorum(cluster: KubeObject): boolean {
  return (numberAt(cluster, 'spec', 'mon', 'count') ?? 0) > 2;
}

function monitorBudget(
  cluster: KubeObject,
  { quorum, allowed }: Monitors,
  owner: BudgetOwner,
): readonly KubeObject[] {
  const count = numberAt(cluster, 'spec', 'mon', 'count') ?? 0;
  if (!needsQuorum(cluster)) return [];
  const base = count >= MANY_MONITORS ? 2 : 1;
  // While Ceph does not tell who is in quorum, no more may go than before.
  const left = quorum ? base - missingFrom(quorum) : Math.min(base, allowed ?? base);
  const spec = { maxUnavailable: Math.max(0, left), selector: { matchLabels: { app: 'rook-ceph-mon' } } };
  // A monitor that is not ready may still be in quorum.
  return [
    budget(MONITOR_BUDGET, 'daemon', { ...spec, unhealthyPodEvictionPolicy: 'IfHealthyBudget' }, owner),
  ];
}

export function missingFrom({ monitors, inQuorum }: Quorum): number {
  return monitors.length - inQuorum.length;
}

function managerBudget(cluster: KubeObject, owner: BudgetOwner): readonly KubeObject[] {
  const count = numberAt(cluster, 'spec', 'mgr', 'count') ?? 2;
  if (count <= 1) return [];
  return [
    daemon(
      'rook-ceph-mgr-pdb',
      { maxUnavailable: 1, selector: { matchLabels: { app: 'rook-ceph-mgr' } } },
      owner,
    ),
  ];
}

function serviceBudget(resource: KubeObject, owner: BudgetOwner): readonly KubeObject[] {
  const { name } = resource.metadata;
  const kind = refOf(resource);
  if (sameKind(kind, Kinds.CephFilesystem)) {
    const active = numberAt(resource, 'spec', 'metadataServer', 'activeCount') ?? 1;
    const standby = isTrueAt(resource, 'spec', 'metadataServer', 'activeStandby') ? 1 : 0;
    return atLeast(`rook-ceph-mds-${name}`, { rook_file_system: name }, active - 1 + standby, owner);
  }
  if (sameKind(kind, Kinds.CephObjectStore)) {
    // Gateways of others have no pods here.
    const isExternal = listAt(resource, 'spec', 'gateway', 'externalRgwEndpoints').length > 0;
    const instances = isExternal ? 0 : (numberAt(resource, 'spec', 'gateway', 'instances') ?? 1);
    return atLeast(`rook-ceph-rgw-${name}`, { rgw: name }, instances - 1, owner);
  }
  return [];
}

/** The pods of all mirrors of a kind have the same labels, whichever resource they are of. */
function mirrorBudgets(resources: readonly KubeObject[], owner: BudgetOwner): readonly KubeObject[] {
  const of = (kind: GroupKind): readonly KubeObject[] =>
    resources.filter((resource) => sameKind(refOf(resource), kind));
  const blocks = of(Kinds.CephRBDMirror).map((mirror) => numberAt(mirror, 'spec', 'count') ?? 1);
  // Rook runs one for each resource, and knows no count.
  const files = of(Kinds.CephFilesystemMirror).map(() => 1);
  return [
    ...atLeast('rook-ceph-rbd-mirror', { app: 'rook-ceph-rbd-mirror' }, total(blocks) - 1, owner),
    ...atLeast('rook-ceph-fs-mirror', { app: 'rook-ceph-fs-mirror' }, total(files) - 1, owner),
  ];
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function atLeast(
  name: string,
  matchLabels: Readonly<Record<string, string>>,
  minAvailable: number,
  owner: BudgetOwner,
): readonly KubeObject[] {
  if (minAvailable < 1) return [];
  return [daemon(name, { minAvailable, selector: { matchLabels } }, owner)];
}

/** A daemon that is not ready does not serve: its pod may go whatever the budget counts. */
function daemon(name: string, spec: BudgetSpec, owner: BudgetOwner): KubeObject {
  return budget(name, 'daemon', { ...spec, unhealthyPodEvictionPolicy: 'AlwaysAllow' }, owner);
}
