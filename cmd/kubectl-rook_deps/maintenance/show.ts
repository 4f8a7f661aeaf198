import { requestFields, statusTable, type Maintenance } from '#pkg/maintenance';
import { compareText, UserError } from '#pkg/object';
import type { Args } from '../args.ts';
import type { Io } from '../io.ts';
import { serialized } from '../output.ts';
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
  const found = await maintenances(node, tools, signal);
  if (node !== undefined && found.length === 0)
    throw new UserError(`error: node "${node}" is not in maintenance`);
  if (format === 'json' || format === 'yaml') io.print(await serialized(documentOf(found, node), format));
  else if (found.length === 0) io.error('No node is in maintenance.');
  else io.print(rows(found, format, !args.isSet('no-headers'), io));
  return args.isSet('watch') ? watch(found, node, format, tools, io, signal) : 0;
}

function rows(found: readonly Maintenance[], format: string | undefined, headers: boolean, io: Io): string {
  return statusTable(found, { now: io.now(), isWide: format === 'wide', headers }).join('\n');
}

async function maintenances(
  node: string | undefined,
  { resources, commands }: Tools,
  signal: AbortSignal,
): Promise<readonly Maintenance[]> {
  const all = (await Promise.all([resources.all(signal), commands.all(signal)])).flat();
  return all
    .filter(({ request }) => node === undefined || request.node === node)
    .toSorted((a, b) => compareText(a.request.node, b.request.node));
}

/** The same whoever keeps it: as a NodeMaintenance. */
function documentOf(found: readonly Maintenance[], node: string | undefined): unknown {
  const items = found.map(({ request, status, isStopping, origin }) => ({
    apiVersion: 'rook-deps.io/v1alpha1',
    kind: 'NodeMaintenance',
    metadata: { name: request.node },
    spec: requestFields(request),
    status: { ...status, stopping: isStopping },
    keptIn: `${origin.kind}/${origin.metadata.name}`,
  }));
  return node === undefined ? { apiVersion: 'v1', kind: 'List', items } : items[0];
}

/** A line for each change, until somebody has seen enough. */
async function watch(
  first: readonly Maintenance[],
  node: string | undefined,
  format: string | undefined,
  tools: Tools,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const key = ({ request, status, isStopping }: Maintenance): string =>
    JSON.stringify([request, status, isStopping]);
  let told = new Map(first.map((one) => [one.request.node, key(one)]));
  for (;;) {
    await tools.ports.clock.sleep(WATCH_MS, signal);
    const now = await maintenances(node, tools, signal);
    const changed = now.filter((one) => told.get(one.request.node) !== key(one));
    if (changed.length > 0) io.print(rows(changed, format, false, io));
    for (const name of told.keys())
      if (!now.some(({ request }) => request.node === name)) io.print(`${name} is out of maintenance`);
    told = new Map(now.map((one) => [one.request.node, key(one)]));
    if (node !== undefined && now.length === 0) return 0;
  }
}
