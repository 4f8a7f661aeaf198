import type { Ceph } from '#pkg/ceph';
import { DEFAULT_BUDGET } from '#pkg/drain';
import type { KubeObject, Writer } from '#pkg/object';
import { isOurs, osdBudgets, type BudgetOwner } from './budgets.ts';
import { isOfPurpose, type Observation } from './observation.ts';
import { nooutSteps } from './noout.ts';
import { isRooksBlocking, leave, rooksOwner } from './rooks-names.ts';
import { transition } from './transition.ts';
import { disown, StateKeeper, takeNooutSteps, takeSteps } from './writes.ts';

/**
 * Rook has been told to protect the OSDs: everything of ours goes. What Rook has under the same name stays, for it takes that
 * over, so that all are protected at every moment; only our marks come off it. Whether there was anything.
 */
export async function handOver(
  seen: Observation,
  owner: BudgetOwner,
  ceph: Ceph | undefined,
  writer: Writer,
  signal: AbortSignal,
): Promise<boolean> {
  const ours = seen.budgets.filter((budget) => isOfPurpose(budget, 'osd'));
  if (ours.some((budget) => isRooksBlocking(budget, seen.services)))
    await leaveDrain(ours, seen.services, writer, signal);
  else if (ours.length > 0) await leaveDefault(ours, seen.budgets, owner, writer, signal);
  const daemons = seen.budgets.filter((budget) => isOfPurpose(budget, 'daemon'));
  const budgets = await leaveDaemons(daemons, seen.services, writer, signal);
  const hadMore = await withdraw({ ...seen, budgets }, owner, ceph, writer, signal);
  return ours.length > 0 || daemons.length > 0 || hadMore;
}

/**
 * In the middle of a drain Rook finds our blocking budgets, keeps them, and deletes the default one: if we deleted ours then,
 * no OSD would be held until it looks again. So no default one is made, and only what Rook does not know goes.
 */
async function leaveDrain(
  ours: readonly KubeObject[],
  services: readonly KubeObject[],
  writer: Writer,
  signal: AbortSignal,
): Promise<void> {
  const isRooks = (budget: KubeObject): boolean =>
    budget.metadata.name === DEFAULT_BUDGET || isRooksBlocking(budget, services);
  const others = ours.filter((budget) => !isRooks(budget));
  await takeSteps(
    others.map((budget) => ({ kind: 'delete', budget })),
    writer,
    signal,
  );
  for (const budget of ours.filter(isRooks))
    await leave(budget, budget.metadata.ownerReferences ?? [], writer, signal);
}

/** Those that Rook does not have are left to whoever takes back the rest. */
async function leaveDaemons(
  daemons: readonly KubeObject[],
  services: readonly KubeObject[],
  writer: Writer,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const surplus: KubeObject[] = [];
  for (const budget of daemons) {
    const owners = rooksOwner(budget, services);
    if (owners) await leave(budget, owners, writer, signal);
    else surplus.push(budget);
  }
  return surplus;
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
