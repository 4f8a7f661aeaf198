import { refOf, UserError } from '#pkg/object';
import type { Io } from '../io.ts';
import { warn } from '../wiring.ts';
import { follow } from './follow.ts';
import { findMaintenance, hasController, type Tools } from './tools.ts';

export interface StopOrders {
  readonly wait: boolean;
  readonly deadlineMs: number;
}

/** Takes back what a maintenance has changed. The node itself may be gone. */
export async function stopNode(
  node: string,
  { wait, deadlineMs }: StopOrders,
  tools: Tools,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const found = await findMaintenance(node, tools, signal);
  if (!found) throw new UserError(`error: node "${node}" is not in maintenance`);
  const { maintenance, by } = found;
  if (by === 'command') {
    const stopping = { maintenance: await tools.commands.stop(maintenance, signal), by };
    return follow(stopping, tools, { verb: 'stop', deadlineMs, watches: false }, io, signal);
  }
  const { origin } = maintenance;
  await tools.cluster.writer.delete(refOf(origin), { uid: origin.metadata.uid }, signal);
  io.print(`nodemaintenance.rook-deps.io/${node} deleted`);
  if (!(await hasController(tools, io.now(), signal)))
    warn(io, 'the controller that takes the maintenance back is not running: kubectl rook-deps check');
  return wait ? follow(found, tools, { verb: 'stop', deadlineMs, watches: true }, io, signal) : 0;
}
