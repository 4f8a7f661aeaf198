import type { Quorum } from '#pkg/ceph';
import { isTrueAt, Kinds, numberAt, refOf, sameKind, type KubeObject } from '#pkg/object';
import { budget, type BudgetOwner, type BudgetSpec } from './budgets.ts';

/** From this many monitors on, two may be missing. */
const MANY_MONITORS = 5;

/**
 * Budgets of the daemons that are no OSDs. They follow the counts that are asked for; one that would allow nothing to go
 * for ever is not made, because a single daemon cannot be spared and cannot be kept either.
 */
export function daemonBudgets(
  cluster: KubeObject,
  resources: readonly KubeObject[],
  quorum: Quorum | undefined,
  owner: BudgetOwner,
): readonly KubeObject[] {
  return [
    ...monitorBudget(cluster, quorum, owner),
    ...managerBudget(cluster, owner),
    ...resources.flatMap((resource) => serviceBudget(resource, owner)),
  ];
}

/** Whether the number of monitors in quorum matters. */
export function needsQuorum(cluster: KubeObject): boolean {
  return (numberAt(cluster, 'spec', 'mon', 'count') ?? 0) > 2;
}

function monitorBudget(
  cluster: KubeObject,
  quorum: Quorum | undefined,
  owner: BudgetOwner,
): readonly KubeObject[] {
  const count = numberAt(cluster, 'spec', 'mon', 'count') ?? 0;
  if (!needsQuorum(cluster)) return [];
  const base = count >= MANY_MONITORS ? 2 : 1;
  const down = quorum ? quorum.monitors.length - quorum.inQuorum.length : 0;
  const maxUnavailable = Math.max(0, base - down);
  return [
    daemon(
      'rook-ceph-mon-pdb',
      { maxUnavailable, selector: { matchLabels: { app: 'rook-ceph-mon' } } },
      owner,
    ),
  ];
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
    const instances = numberAt(resource, 'spec', 'gateway', 'instances') ?? 1;
    return atLeast(`rook-ceph-rgw-${name}`, { rgw: name }, instances - 1, owner);
  }
  if (sameKind(kind, Kinds.CephRBDMirror)) {
    const count = numberAt(resource, 'spec', 'count') ?? 1;
    return atLeast('rook-ceph-rbd-mirror', { app: 'rook-ceph-rbd-mirror' }, count - 1, owner);
  }
  return [];
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

function daemon(name: string, spec: BudgetSpec, owner: BudgetOwner): KubeObject {
  const isMonitor = name === 'rook-ceph-mon-pdb';
  // A monitor that is not ready may still be in quorum; the others do not serve then.
  const whole: BudgetSpec = isMonitor ? spec : { ...spec, unhealthyPodEvictionPolicy: 'AlwaysAllow' };
  return budget(name, 'daemon', whole, owner);
}
