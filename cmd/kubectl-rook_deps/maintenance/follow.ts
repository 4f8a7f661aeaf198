import { advance, Observer, type Ledger, type Maintenance } from '#pkg/maintenance';
import { isConflict } from '#pkg/object';
import { failureLines } from '../failure.ts';
import type { Io } from '../io.ts';
import { MaintenanceProgress } from './progress.ts';
import type { Found, Tools } from './tools.ts';

export interface FollowOptions {
  readonly verb: 'start' | 'stop';
  /** In ms since 1970; Infinity for no limit. */
  readonly deadlineMs: number;
  /** Where it is written down, if we carry it out; without it we only look on. */
  readonly ledger: Ledger | undefined;
}

const POLL_MS = 1000;
const INTERRUPTED = 130;
/** As of timeout(1). */
const TIMED_OUT = 124;
const DONE = ['Ready', 'Succeeded'];
const LOST = ['Expired', 'Failed'];

/** Carries a maintenance out, or looks on while the controller does, until it is where it should be. The exit code. */
export async function follow(
  found: Found,
  tools: Tools,
  options: FollowOptions,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const { node } = found.maintenance.request;
  const progress = new MaintenanceProgress(io);
  const observer = new Observer(tools.ports.reader);
  const stopBy = AbortSignal.any([signal, ...limit(options.deadlineMs, tools)]);
  try {
    for (let current: Maintenance | undefined = found.maintenance; ;) {
      if (!current) return gone(node, options, io, progress);
      progress.note(current);
      const code = codeOf(current, options, io, progress);
      if (code !== undefined) return code;
      current = await turn(current, { ...found, observer }, tools, options, stopBy);
    }
  } catch (error) {
    return failed(error, node, { options, progress, io }, signal, stopBy);
  }
}

function limit(deadlineMs: number, { ports }: Tools): readonly AbortSignal[] {
  return deadlineMs === Infinity ? [] : [AbortSignal.timeout(Math.max(1, deadlineMs - ports.clock.now()))];
}

/** One step of ours, or a look at what somebody else has done. Undefined when it is over. */
async function turn(
  current: Maintenance,
  { by, observer }: Pick<Found, 'by'> & { readonly observer: Observer },
  tools: Tools,
  { ledger }: FollowOptions,
  signal: AbortSignal,
): Promise<Maintenance | undefined> {
  const { commands, resources, ports } = tools;
  if (!ledger) {
    await ports.clock.sleep(POLL_MS, signal);
    // There may be another one of this node, kept elsewhere.
    return again(current, by === 'controller' ? resources : commands, signal);
  }
  try {
    const result = await advance(current, ledger, observer, ports, signal);
    if (result.kind === 'ended') return undefined;
    await ports.clock.sleep(result.afterMs, signal);
    return result.maintenance;
  } catch (error) {
    // Somebody else wrote first: what they wrote counts.
    if (!isConflict(error)) throw error;
    return again(current, ledger, signal);
  }
}

/** The same one as it is now; another under its name is none of ours. */
async function again(
  { request, origin }: Maintenance,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<Maintenance | undefined> {
  const found = await ledger.find(request.node, signal);
  return found?.origin.metadata.uid === origin.metadata.uid ? found : undefined;
}

function codeOf(
  { request, status, isStopping }: Maintenance,
  { verb }: FollowOptions,
  io: Io,
  progress: MaintenanceProgress,
): number | undefined {
  if (verb === 'stop') return undefined;
  if (isStopping) {
    progress.leave('somebody stops it', request.node, 'stop');
    return 1;
  }
  if (DONE.includes(status.phase)) {
    progress.end();
    io.print(`node/${request.node} in maintenance: ${status.message}`);
    return 0;
  }
  if (!LOST.includes(status.phase)) return undefined;
  progress.leave(status.message, request.node, 'start');
  return 1;
}

function gone(node: string, { verb }: FollowOptions, io: Io, progress: MaintenanceProgress): number {
  progress.end();
  if (verb === 'stop') {
    io.print(`node/${node} out of maintenance`);
    return 0;
  }
  io.error(`error: the maintenance of ${node} was stopped by somebody`);
  return 1;
}

function failed(
  error: unknown,
  node: string,
  {
    options,
    progress,
    io,
  }: { readonly options: FollowOptions; readonly progress: MaintenanceProgress; readonly io: Io },
  signal: AbortSignal,
  stopBy: AbortSignal,
): number {
  if (signal.aborted) {
    progress.leave('interrupted', node, options.verb);
    return INTERRUPTED;
  }
  if (stopBy.aborted) {
    progress.leave('timed out', node, options.verb);
    return TIMED_OUT;
  }
  progress.end();
  for (const line of failureLines(error instanceof Error ? error : new Error(String(error)))) io.error(line);
  progress.leave('it could not go on', node, options.verb);
  return 1;
}
