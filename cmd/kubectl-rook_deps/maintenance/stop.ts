import { nooutWords } from '#pkg/maintenance';
import { refOf, UserError } from '#pkg/object';
import { printable } from '#pkg/render';
import { dryRunSuffix, type DryRun } from '../dry-run.ts';
import type { Io } from '../io.ts';
import { carrier } from './carriage.ts';
import { follow } from './follow.ts';
import { findMaintenance, type Found, type Tools } from './tools.ts';

export interface StopOrders {
  readonly wait: boolean;
  readonly limitMs: number;
  readonly dryRun: DryRun;
}

/** Takes back what a maintenance has changed. The node itself may be gone. */
export async function stopNode(
  node: string,
  { wait, limitMs, dryRun }: StopOrders,
  tools: Tools,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const found = await findMaintenance(node, tools, signal);
  if (!found) throw new UserError(`error: node "${node}" is not in maintenance`);
  if (dryRun !== 'none') return rehearseStop(found, dryRun, tools, io, signal);
  const { maintenance, by } = found;
  const options = { verb: 'stop', limitMs } as const;
  if (by === 'command') {
    const stopping = { maintenance: await tools.commands.stop(maintenance, signal), by };
    return follow(stopping, tools, { ...options, ledger: tools.commands }, io, signal);
  }
  const { origin } = maintenance;
  await tools.cluster.writer.delete(refOf(origin), { uid: origin.metadata.uid }, signal);
  io.print(`nodemaintenance.rook-deps.io/${node} deleted`);
  const ledger = await carrier(found, tools, io, signal);
  if (!ledger && !wait) return 0;
  const deleted = await tools.resources.find(node, signal);
  if (deleted && deleted.origin.metadata.uid === origin.metadata.uid)
    return follow({ maintenance: deleted, by }, tools, { ...options, ledger }, io, signal);
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
