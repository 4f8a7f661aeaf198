import {
  conflictsIn,
  inquire,
  MAINTENANCE,
  NEW_STATUS,
  Observer,
  planText,
  requestFields,
  type MaintenanceRequest,
  type Situation,
  type Surroundings,
} from '#pkg/maintenance';
import { isAlreadyExists, textAt, UserError, type KubeObject, type Writer } from '#pkg/object';
import type { Args } from '../args.ts';
import { confirm } from '../confirm.ts';
import { dryRunSuffix, type DryRun } from '../dry-run.ts';
import type { Io } from '../io.ts';
import { warn } from '../wiring.ts';
import { carrier } from './carriage.ts';
import { follow } from './follow.ts';
import type { Way } from './progress.ts';
import { rehearseDrain } from './rehearsal.ts';
import { findMaintenance, hasController, type Found, type Tools } from './tools.ts';

/** What the flags ask for. */
export interface StartOrders {
  readonly reason: string | undefined;
  readonly duration: string | undefined;
  readonly noDrain: boolean;
  readonly force: boolean;
  readonly wait: boolean;
  /** For each node; Infinity for no limit. */
  readonly limitMs: number;
  readonly dryRun: DryRun;
  /** What to say when it ends too early, if there is more to do than one node. */
  readonly way?: Way;
}

export async function startNode(
  node: KubeObject,
  orders: StartOrders,
  tools: Tools,
  { args, io }: { readonly args: Args; readonly io: Io },
  signal: AbortSignal,
): Promise<number> {
  const { name } = node.metadata;
  const known = await findMaintenance(name, tools, signal);
  if (known) return resume(known, orders, tools, io, signal);
  const request = await requestOf(name, orders, tools, signal);
  const situation = await survey(request, tools, signal);
  const conflicts = conflictsIn(situation, situation.surroundings);
  const lines = planText(situation, situation.surroundings, conflicts);
  if (orders.dryRun === 'client') {
    io.print(lines.join('\n'));
    return conflicts.length > 0 ? refused(io) : 0;
  }
  for (const line of lines) io.error(line);
  if (conflicts.length > 0) return refused(io);
  if (orders.dryRun === 'server') return rehearseDrain(situation, situation.surroundings, tools, io, signal);
  io.error('');
  if (!(await confirm([], args, io, signal))) {
    io.error('error: nothing was changed');
    return 1;
  }
  return begin(request, orders, tools, io, signal);
}

export function refused(io: Io): number {
  io.error('error: something is in the way, so nothing was changed');
  return 1;
}

/** The same look as before each step, at a maintenance that has not begun. */
export async function survey(
  request: MaintenanceRequest,
  { ports }: Tools,
  signal: AbortSignal,
): Promise<Situation & { readonly surroundings: Surroundings }> {
  const origin = { apiVersion: 'v1', kind: 'Node', metadata: { name: request.node } };
  const maintenance = { request, isStopping: false, status: NEW_STATUS, origin };
  const seen = await new Observer(ports.reader).look(maintenance, ports.clock.now(), signal);
  return { ...seen, surroundings: await inquire(seen, ports, signal) };
}

/** Writes the request down, for the controller if there is one. */
export async function begin(
  request: MaintenanceRequest,
  orders: Pick<StartOrders, 'wait' | 'limitMs' | 'way'>,
  tools: Tools,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  return bringOn(await written(request, tools, io, signal), orders, tools, io, signal);
}

/** Without `--wait` a living controller is left alone with it. */
async function bringOn(
  found: Found,
  { wait, limitMs, way }: Pick<StartOrders, 'wait' | 'limitMs' | 'way'>,
  tools: Tools,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const ledger = await carrier(found, tools, io, signal);
  if (!ledger && !wait) return 0;
  return follow(found, tools, { verb: 'start', limitMs, ledger, way }, io, signal);
}

async function written(
  request: MaintenanceRequest,
  tools: Tools,
  io: Io,
  signal: AbortSignal,
): Promise<Found> {
  if (!(await hasController(tools, io.now(), signal))) {
    if (request.duration)
      warn(io, 'there is no controller to take noout off in time: stop the maintenance yourself before that');
    return { maintenance: await tools.commands.begin(request, signal), by: 'command' };
  }
  try {
    await tools.cluster.writer.create(resourceOf(request), {}, signal);
    io.print(`nodemaintenance.rook-deps.io/${request.node} created${dryRunSuffix('none')}`);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const found = await findMaintenance(request.node, tools, signal);
  if (!found) throw new UserError(`error: the maintenance of ${request.node} was stopped by somebody`);
  return found;
}

/** The flags that ask for something else than what is under way. */
function unheeded(orders: StartOrders, request: MaintenanceRequest): readonly string[] {
  return [
    ...(orders.reason !== undefined && orders.reason !== request.reason ? ['--reason'] : []),
    ...(orders.duration !== undefined && orders.duration !== request.duration ? ['--duration'] : []),
    ...(orders.noDrain && !request.noDrain ? ['--no-drain'] : []),
    ...(orders.force && !request.force ? ['--force'] : []),
  ];
}

/** Goes on with what was begun, as it was asked for then. */
export async function resume(
  found: Found,
  orders: StartOrders,
  tools: Tools,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const { request, isStopping, status } = found.maintenance;
  if (isStopping)
    throw new UserError(
      `error: the maintenance of ${request.node} is being stopped: kubectl rook-deps maintenance stop ${request.node}`,
    );
  io.error(`${request.node} is in maintenance already (${status.phase}); going on with it`);
  const flags = unheeded(orders, request);
  if (flags.length > 0)
    warn(io, `it goes on as it was asked for, without ${flags.join(', ')}: stop it first to change that`);
  return orders.dryRun === 'none' ? bringOn(found, orders, tools, io, signal) : 0;
}

export async function requestOf(
  node: string,
  { reason, duration, noDrain, force }: StartOrders,
  { cluster }: Tools,
  signal: AbortSignal,
): Promise<MaintenanceRequest> {
  return { node, reason, duration, noDrain, force, requestedBy: await whoAmI(cluster.writer, signal) };
}

/** For those who find a node cordoned and ask by whom. Servers that do not tell are believed to know. */
async function whoAmI(writer: Writer, signal: AbortSignal): Promise<string | undefined> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  try {
    return textAt(await writer.createReview(review, signal), 'status', 'userInfo', 'username');
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

function resourceOf(request: MaintenanceRequest): KubeObject {
  const { group, version, kind } = MAINTENANCE;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: request.node },
    spec: requestFields(request),
  };
}
