import { nooutWords } from '#pkg/maintenance';
import { refOf, UserError } from '#pkg/object';
import { printable } from '#pkg/render';
import { dryRunSuffix, type DryRun } from '../dry-run.ts';
import type { Io } from '../io.ts';
import { warn } from '../wiring.ts';
import { follow } from './follow.ts';
import { findMaintenance, hasController, type Found, type Tools } from './tools.ts';

export interface StopOrders {
  readonly wait: boolean;
  readonly deadlineMs: number;
  readonly dryRun: DryRun;
}

/** Takes back what a maintenance has changed. The node itself may be gone. */
export async function stopNode(
  node: string,
  { wait, deadlineMs, dryRun }: StopOrders,
  tools: Tools,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const found = await findMaintenance(node, tools, signal);
  if (!found) throw new UserError(`error: node "${node}" is not in maintenance`);
  if (dryRun !== 'none') return rehearseStop(found, dryRun, tools, io, signal);
  const { maintenance, by } = found;
  const options = { verb: 'stop', deadlineMs } as const;
  if (by === 'command') {
    const stopping = { maintenance: await tools.commands.stop(maintenance, signal), by };
    return follow(stopping, tools, { ...options, ledger: tools.commands }, io, signal);
  }
  const { origin } = maintenance;
  await tools.cluster.writer.delete(refOf(origin), { uid: origin.metadata.uid }, signal);
  io.print(`nodemaintenance.rook-deps.io/${node} deleted`);
  if (await hasController(tools, io.now(), signal))
    return wait ? follow(found, tools, { ...options, ledger: undefined }, io, signal) : 0;
  warn(io, 'no controller is running that would take the maintenance back, so this command does');
  const deleted = await tools.resources.find(node, signal);
  if (deleted)
    return follow({ maintenance: deleted, by }, tools, { ...options, ledger: tools.resources }, io, signal);
  io.print(`node/${node} out of maintenance`);
  return 0;
}

/** Says what would be taken back; on the server's side, whether it would let us. */
async function rehearseStop(
  { maintenance: { origin, request, status }, by }: Found,
  dryRun: DryRun,
  { cluster: { writer } }: Tools,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const suffix = dryRunSuffix(dryRun);
  const { uid } = origin.metadata;
  if (dryRun === 'server' && by === 'controller')
    await writer.delete(refOf(origin), { uid, dryRun: true }, signal);
  if (dryRun === 'server' && by === 'command') {
    const body = { metadata: { uid }, data: {} };
    await writer.patch(refOf(origin), { type: 'merge', body, dryRun: true }, signal);
  }
  if (by === 'controller') io.print(`nodemaintenance.rook-deps.io/${request.node} deleted${suffix}`);
  const isOurs = status.cordon === 'setting' || status.cordon === 'set';
  if (isOurs) io.print(printable(`node/${request.node} uncordoned${suffix}`));
  const noout = nooutWords(status);
  if (noout !== '') io.print(printable(`noout taken off ${noout}${suffix}`));
  if (!isOurs && noout === '') io.print(`nothing would be taken back${suffix}`);
  return 0;
}
