import { Kinds } from '#pkg/object';
import { printable, table } from '#pkg/render';
import type { Args } from './args.ts';
import { listCriticalServices } from './critical-services.ts';
import type { Io } from './io.ts';
import { serialized } from './output.ts';
import { findUnprotected, type Advice } from './unprotected.ts';
import { listUsages } from './usage-objects.ts';
import { openCluster, warn } from './wiring.ts';

/** Lists what is worth protecting and is not, with the commands that would. */
export async function adviseOn(
  args: Args,
  format: string | undefined,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const cluster = await openCluster(args, io);
  try {
    const isInstalled = (await cluster.reader.types(signal)).find(Kinds.Usage) !== undefined;
    const protections = {
      usages: await listUsages(cluster, undefined, signal),
      services: await listCriticalServices(cluster, signal),
    };
    const namespace = args.text('namespace') || undefined;
    const sayGap = (text: string): void => warn(io, text);
    const advice = await findUnprotected(cluster, namespace, protections, sayGap, signal);
    if (!isInstalled) io.error('Nothing is protected yet. First: kubectl rook-deps install');
    await print(advice, format, io);
    return 0;
  } finally {
    cluster.close();
  }
}

async function print(advice: readonly Advice[], format: string | undefined, io: Io): Promise<void> {
  if (format === 'json' || format === 'yaml') {
    const items = advice.map(({ object, why, command }) => {
      const { apiVersion, kind, metadata } = object;
      const { namespace, name } = metadata;
      return { object: { apiVersion, kind, namespace, name }, why, command };
    });
    return io.print(await serialized({ items }, format));
  }
  if (advice.length === 0) return io.error('Everything that is worth protecting is protected.');
  if (format === 'name') for (const { object } of advice) io.print(label(object));
  else {
    const rows = advice.map(({ object, why, command }) => [
      object.metadata.namespace ?? '<none>',
      label(object),
      why,
      command,
    ]);
    const head = ['NAMESPACE', 'OBJECT', 'WHY', 'PROTECT IT WITH'];
    io.print(table([head, ...rows.map((row) => row.map(printable))]).join('\n'));
  }
}

function label({ kind, metadata }: Advice['object']): string {
  return `${kind.toLowerCase()}/${metadata.name}`;
}
