import { requestFields, statusTable, type Maintenance } from '#pkg/maintenance';
import { UserError } from '#pkg/object';
import type { Args } from '../args.ts';
import type { Io } from '../io.ts';
import { serialized } from '../output.ts';
import { isSame, Lookout, placeOf } from './lookout.ts';
import type { Tools } from './tools.ts';

const WATCH_MS = 2000;

/** Where maintenances stand: of a node, or all. */
export async function showStatus(
  node: string | undefined,
  format: string | undefined,
  tools: Tools,
  { args, io }: { readonly args: Args; readonly io: Io },
  signal: AbortSignal,
): Promise<number> {
  const lookout = new Lookout(tools);
  const found = await lookout.all(node, signal);
  if (node !== undefined && found.length === 0)
    throw new UserError(`error: node "${node}" is not in maintenance`);
  if (isData(format)) io.print(await serialized(documentOf(found, node), format));
  else if (found.length === 0) io.error('No node is in maintenance.');
  else io.print(rows(found, format, !args.isSet('no-headers'), io));
  if (!args.isSet('watch')) return 0;
  for (let told = found; ;) {
    await tools.ports.clock.sleep(WATCH_MS, signal);
    const now = await lookout.all(node, signal);
    await tellChanges(told, now, format, io);
    if (node !== undefined && now.length === 0) return 0;
    told = now;
  }
}

function isData(format: string | undefined): format is 'json' | 'yaml' {
  return format === 'json' || format === 'yaml';
}

function rows(found: readonly Maintenance[], format: string | undefined, headers: boolean, io: Io): string {
  return statusTable(found, { now: io.now(), isWide: format === 'wide', headers }).join('\n');
}

/** The same whoever keeps it: as a NodeMaintenance. */
function documentOf(found: readonly Maintenance[], node: string | undefined): unknown {
  const items = found.map(itemOf);
  return node === undefined ? { apiVersion: 'v1', kind: 'List', items } : items[0];
}

function itemOf({ request, status, isStopping, origin }: Maintenance): object {
  return {
    apiVersion: 'rook-deps.io/v1alpha1',
    kind: 'NodeMaintenance',
    metadata: { name: request.node },
    spec: requestFields(request),
    status: { ...status, stopping: isStopping },
    keptIn: `${origin.kind}/${origin.metadata.name}`,
  };
}

/** A line for each change, or a document of its own, as kubectl get does. */
async function tellChanges(
  told: readonly Maintenance[],
  now: readonly Maintenance[],
  format: string | undefined,
  io: Io,
): Promise<void> {
  const before = new Map(told.map((one) => [placeOf(one), one]));
  const changed = now.filter((one) => !isSame(before.get(placeOf(one)), one));
  if (isData(format))
    for (const one of changed)
      io.print(`${format === 'yaml' ? '---\n' : ''}${await serialized(itemOf(one), format)}`);
  else if (changed.length > 0) io.print(rows(changed, format, false, io));
  const left = new Set(now.map(({ request }) => request.node));
  for (const name of new Set(told.map(({ request }) => request.node))) {
    const words = `${name} is out of maintenance`;
    if (!left.has(name)) (isData(format) ? io.error : io.print)(words);
  }
}
