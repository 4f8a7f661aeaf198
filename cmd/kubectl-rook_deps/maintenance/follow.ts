import { givenUp, type Ledger, type Maintenance } from '#pkg/maintenance';
import { printable } from '#pkg/render';
import { failureLines } from '../failure.ts';
import type { Io } from '../io.ts';
import { Carriage } from './carriage.ts';
import { MaintenanceProgress, wayOf, type Way } from './progress.ts';
import type { Found, Tools } from './tools.ts';

export interface FollowOptions {
  readonly verb: 'start' | 'stop';
  /** How long it may take; Infinity for no limit. */
  readonly limitMs: number;
  /** Where it is written down, if we carry it out; without it we only look on. */
  readonly ledger: Ledger | undefined;
  /** What to say when it ends too early, if there is more to do than this node. */
  readonly way?: Way | undefined;
}

export const INTERRUPTED = 130;
/** As of timeout(1). */
export const TIMED_OUT = 124;
/** The longest that a timer knows. */
const MAX_TIMER_MS = 2 ** 31 - 1;
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
  const { clock } = tools.ports;
  const deadlineMs = clock.now() + options.limitMs;
  const stopBy = AbortSignal.any([signal, ...limit(options.limitMs)]);
  const carriage = new Carriage(found, options.ledger, tools, io);
  try {
    for (let current = found.maintenance; ;) {
      progress.note(current);
      const code = codeOf(current, options, io, progress);
      if (code !== undefined) return code;
      if (clock.now() >= deadlineMs) return late(node, options, progress);
      const next = await carriage.turn(current, stopBy);
      if (!next) return gone(node, givenUp(current, clock.now()), options, io, progress);
      current = next;
    }
  } catch (error) {
    if (!signal.aborted && stopBy.aborted) return late(node, options, progress);
    return failed(error, { node, options, progress, io }, signal);
  }
}

/** For a call that hangs; between calls the clock tells. */
function limit(limitMs: number): readonly AbortSignal[] {
  return limitMs === Infinity ? [] : [AbortSignal.timeout(Math.min(Math.max(1, limitMs), MAX_TIMER_MS))];
}

function codeOf(
  { request: { node }, status, isStopping }: Maintenance,
  { verb, way }: FollowOptions,
  io: Io,
  progress: MaintenanceProgress,
): number | undefined {
  if (verb === 'stop') return undefined;
  if (isStopping) {
    progress.leave('somebody stops it', way ?? wayOf(node, 'stop'));
    return 1;
  }
  if (DONE.includes(status.phase)) {
    progress.end();
    io.print(`node/${node} in maintenance: ${status.message}`);
    return 0;
  }
  if (!LOST.includes(status.phase)) return undefined;
  progress.leave(status.message, way ?? wayOf(node, verb));
  return 1;
}

/** `lack`: what a stop did not wait for any longer. */
function gone(
  node: string,
  lack: string | undefined,
  { verb, way }: FollowOptions,
  io: Io,
  progress: MaintenanceProgress,
): number {
  progress.end();
  if (verb === 'stop') {
    io.print(`node/${node} out of maintenance`);
    if (lack === undefined) return 0;
    io.error(printable(`error: ${lack}`));
    return 1;
  }
  const why = `the maintenance of ${node} was stopped by somebody`;
  if (!way) io.error(`error: ${why}`);
  else
    progress.leave(why, {
      ...way,
      left: 'nothing more begins',
      back: way.back.filter((name) => name !== node),
    });
  return 1;
}

function late(
  node: string,
  { verb, way = wayOf(node, verb) }: FollowOptions,
  progress: MaintenanceProgress,
): number {
  progress.leave('timed out', way);
  return TIMED_OUT;
}

interface Failing {
  readonly node: string;
  readonly options: FollowOptions;
  readonly progress: MaintenanceProgress;
  readonly io: Io;
}

function failed(error: unknown, { node, options, progress, io }: Failing, signal: AbortSignal): number {
  const { verb, way = wayOf(node, verb) } = options;
  if (signal.aborted) {
    progress.leave('interrupted', way);
    return INTERRUPTED;
  }
  progress.end();
  for (const line of failureLines(error instanceof Error ? error : new Error(String(error)))) io.error(line);
  progress.leave('it could not go on', way);
  return 1;
}
