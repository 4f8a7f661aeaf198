import type { KubeObject } from '#pkg/object';
import type { Args } from '../args.ts';
import { confirm } from '../confirm.ts';
import type { Io } from '../io.ts';
import { INTERRUPTED } from './follow.ts';
import { rehearseDrain } from './rehearsal.ts';
import { Round } from './round.ts';
import { firstConflicts, planRolling, rollingText, type Group } from './rolling-plan.ts';
import { refused, type StartOrders } from './start.ts';
import type { Tools } from './tools.ts';

interface Context {
  readonly args: Args;
  readonly io: Io;
}

/** One failure domain after the other. The next begins when the one before is out of maintenance, and its data whole again. */
export async function startRolling(
  nodes: readonly KubeObject[],
  orders: StartOrders,
  tools: Tools,
  context: Context,
  signal: AbortSignal,
): Promise<number> {
  const { io } = context;
  let decision: readonly Group[] | number;
  try {
    decision = await decide(nodes, orders, tools, context, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    io.showProgress(undefined);
    io.error('error: interrupted; nothing was changed');
    return INTERRUPTED;
  }
  if (typeof decision === 'number') return decision;
  return new Round(decision, orders, tools, io).run(signal);
}

/** The groups to take, or the exit code when there is nothing to do but to tell. */
async function decide(
  nodes: readonly KubeObject[],
  orders: StartOrders,
  tools: Tools,
  { args, io }: Context,
  signal: AbortSignal,
): Promise<readonly Group[] | number> {
  const groups = await planRolling(nodes, orders, tools, io, signal);
  const lines = rollingText(groups);
  if (orders.dryRun === 'client') io.print(lines.join('\n'));
  else for (const line of lines) io.error(line);
  if (firstConflicts(groups).length > 0) return refused(io);
  if (orders.dryRun === 'client') return 0;
  if (orders.dryRun === 'server') return rehearseAll(groups, tools, io, signal);
  io.error('');
  if (await confirm([], args, io, signal)) return groups;
  io.error('error: nothing was changed');
  return 1;
}

async function rehearseAll(
  groups: readonly Group[],
  tools: Tools,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  for (const { situation, known } of groups.flatMap(({ members }) => members))
    if (!known) await rehearseDrain(situation, situation.surroundings, tools, io, signal);
  return 0;
}
