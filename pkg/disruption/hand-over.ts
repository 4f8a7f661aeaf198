import type { Ceph } from '#pkg/ceph';
import { DEFAULT_BUDGET } from '#pkg/drain';
import type { KubeObject, Writer } from '#pkg/object';
import { isOurs, osdBudgets, type BudgetOwner } from './budgets.ts';
import { isOfPurpose, type Observation } from './observation.ts';
import { nooutSteps } from './noout.ts';
import { transition } from './transition.ts';
import { disown, StateKeeper, takeNooutSteps, takeSteps } from './writes.ts';

/**
 * Rook has been told to protect the OSDs: everything of ours goes. The default budget stays, for Rook has one of the
 * same name and takes it over, so that OSDs are protected at every moment; only our marks come off it. Whether there was
 * anything.
 */
export async function handOver(
  seen: Observation,
  owner: BudgetOwner,
  ceph: Ceph | undefined,
  writer: Writer,
  signal: AbortSignal,
): Promise<boolean> {
  const ours = seen.budgets.filter((budget) => isOfPurpose(budget, 'osd'));
  if (ours.length > 0) await leaveDefault(ours, seen.budgets, owner, writer, signal);
  const budgets = seen.budgets.filter((budget) => isOfPurpose(budget, 'daemon'));
  const hadMore = await withdraw({ ...seen, budgets }, owner, ceph, writer, signal);
  return ours.length > 0 || hadMore;
}

/** Takes back everything of ours: budgets, flags, and last the notes on them. Whether there was anything. */
export async function withdraw(
  { budgets, state, hasState }: Observation,
  owner: BudgetOwner,
  ceph: Ceph | undefined,
  writer: Writer,
  signal: AbortSignal,
): Promise<boolean> {
  const ours = budgets.filter(isOurs);
  await takeSteps(
    ours.map((budget) => ({ kind: 'delete', budget })),
    writer,
    signal,
  );
  if (!hasState) return ours.length > 0;
  const keeper = new StateKeeper(state, owner, writer);
  if (state.noout.length > 0) await releaseFlags(keeper, ceph, signal);
  await keeper.remove(signal);
  return true;
}

async function leaveDefault(
  ours: readonly KubeObject[],
  budgets: readonly KubeObject[],
  owner: BudgetOwner,
  writer: Writer,
  signal: AbortSignal,
): Promise<void> {
  const isRooks = budgets.some((budget) => budget.metadata.name === DEFAULT_BUDGET && !isOurs(budget));
  const wanted = isRooks ? [] : osdBudgets({ kind: 'default', excluded: [] }, '', [], owner);
  await takeSteps(transition(ours, wanted), writer, signal);
  for (const budget of wanted) await disown(budget, writer, signal);
}

/** Throws while Ceph does not answer: a flag of ours that nobody remembers would stay for ever. */
async function releaseFlags(keeper: StateKeeper, ceph: Ceph | undefined, signal: AbortSignal): Promise<void> {
  if (!ceph) throw new Error('there is no way to Ceph to take back noout');
  const [osdMap, tree] = await Promise.all([ceph.osdMap(signal), ceph.crushTree(signal)]);
  const buckets = new Set(tree.nodes.map(({ name }) => name));
  const steps = nooutSteps({
    wanted: undefined,
    records: keeper.state.noout,
    osdMap,
    buckets,
    now: 0,
    timeoutMs: 0,
  });
  await takeNooutSteps(steps, ceph, keeper, signal);
}
