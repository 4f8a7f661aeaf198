import type { Quorum } from '#pkg/ceph';
import { numberAt, type KubeObject } from '#pkg/object';
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
  const rooks = named(ALWAYS_ROOKS);
  const isRooks = rooks !== undefined && !isOurs(rooks);
  const monitors = { quorum, allowed: numberAt(named(MONITOR_BUDGET), 'spec', 'maxUnavailable') };
  const wanted = daemonBudgets(cluster, services, monitors, owner).filter(
    ({ metadata }) => !(isRooks && metadata.name === ALWAYS_ROOKS),
  );
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  const present = budgets.filter(
    (budget) => isOfPurpose(budget, 'daemon') || (!isOurs(budget) && names.has(budget.metadata.name)),
  );
  return transition(present, wanted);
}
