import { isDeepStrictEqual } from 'node:util';
import type { Quorum } from '#pkg/ceph';
import { fieldAt, groupOf, numberAt, type KubeObject } from '#pkg/object';
import { isOurs, type BudgetOwner } from './budgets.ts';
import { daemonBudgets, MONITOR_BUDGET } from './daemon-budgets.ts';
import { isOfPurpose, type Observation } from './observation.ts';
import { transition, type Step } from './transition.ts';

/** Rook makes the one of the managers whatever it is told. */
const ALWAYS_ROOKS = 'rook-ceph-mgr-pdb';

/** From the budgets of daemons that are there to those that should be. */
export function daemonSteps(
  cluster: KubeObject,
  { budgets, services }: Pick<Observation, 'budgets' | 'services'>,
  quorum: Quorum | undefined,
  owner: BudgetOwner,
): readonly Step[] {
  const named = (name: string): KubeObject | undefined =>
    budgets.find(({ metadata }) => metadata.name === name);
  const isLeft = (name: string): boolean => {
    const found = named(name);
    return found !== undefined && !isOurs(found) && (name === ALWAYS_ROOKS || !isOfRooks(found));
  };
  const monitors = { quorum, allowed: numberAt(named(MONITOR_BUDGET), 'spec', 'maxUnavailable') };
  const wanted = daemonBudgets(cluster, services, monitors, owner).filter(
    ({ metadata }) => !isLeft(metadata.name),
  );
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  const present = budgets.filter(
    (budget) => isOfPurpose(budget, 'daemon') || (!isOurs(budget) && names.has(budget.metadata.name)),
  );
  return transition(present, wanted);
}

/** Rook's are owned by the cluster, or by what the daemons belong to; that of the monitors by nobody. */
function isOfRooks(budget: KubeObject): boolean {
  const { ownerReferences = [], labels, name } = budget.metadata;
  const isPlain = ownerReferences.length === 0 && labels === undefined;
  if (name === MONITOR_BUDGET && isPlain) return selectsMonitors(budget);
  return ownerReferences.some(({ apiVersion }) => groupOf(apiVersion) === 'ceph.rook.io');
}

/** These and nothing else, as Rook has it. */
function selectsMonitors({ spec }: KubeObject): boolean {
  return isDeepStrictEqual(fieldAt(spec, 'selector'), { matchLabels: { app: 'rook-ceph-mon' } });
}
