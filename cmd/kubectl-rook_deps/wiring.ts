import { systemClock } from '#pkg/clock';
import type { PodEviction, PodExec } from '#pkg/kube';
import { type KindKey, type Reader, type Writer } from '#pkg/object';
import { printable } from '#pkg/render';
import type { Args } from './args.ts';
import type { FlagSpec } from './command.ts';
import { connectionFlags } from './global-flags.ts';
import type { Io } from './io.ts';
import { VERSION } from './release.ts';

export const FROM_FLAG: FlagSpec = {
  type: 'array',
  describe:
    'Read saved manifests instead of a cluster: a file, a folder, or - for standard input. Can be repeated.',
  suggests: 'files',
};

/** Where a command's objects come from. */
export interface Source {
  readonly reader: Reader;
  /** Undefined for saved manifests when none was asked for: names are then looked for in all. */
  readonly namespace: string | undefined;
  /** The kinds that saved manifests speak of; undefined for a live cluster. */
  readonly savedKinds?: ReadonlySet<KindKey>;
  /** Absent for saved manifests, like the way into pods. */
  readonly writer?: Writer;
  readonly exec?: PodExec;
  close(): void;
}

/** Opens the live cluster, or the saved manifests of `--from`. */
export function openSource(args: Args, io: Io, signal: AbortSignal): Promise<Source> {
  const paths = args.texts('from');
  return paths.length > 0 ? openManifests(paths, args, io, signal) : openCluster(args, io);
}

async function openManifests(
  paths: readonly string[],
  args: Args,
  io: Io,
  signal: AbortSignal,
): Promise<Source> {
  const { loadManifests, manifestReader } = await import('#pkg/snapshot');
  const namespace = args.text('namespace') || undefined;
  const sources = { paths, readStdin: io.readStdin, defaultNamespace: namespace ?? 'default' };
  const { objects, kinds, warnings } = await loadManifests(sources, signal);
  for (const warning of warnings) warn(io, warning);
  return { reader: manifestReader(objects), namespace, savedKinds: kinds, close: () => undefined };
}

/** A live cluster that may be changed. */
export interface Cluster extends Source {
  readonly namespace: string;
  readonly writer: Writer;
  readonly evict: PodEviction;
  /** The body of whatever the server has at a path; throws what it refuses. */
  raw(path: string, signal: AbortSignal): Promise<string>;
}

export interface ClusterOptions {
  /** For commands that add kinds or remove them: the types are asked for again when one is missing. */
  readonly kindsChange?: boolean;
}

export async function openCluster(args: Args, io: Io, options: ClusterOptions = {}): Promise<Cluster> {
  const kube = await import('#pkg/kube');
  const { connect, kubeReader, kubeWriter, loadKubeconfig, podEviction, podExec, rawBody } = kube;
  const connection = loadKubeconfig(connectionFlags(args), io.env, io.homeDir);
  const verbosity = Number(args.text('v') ?? 0);
  const transport = await connect(connection, {
    userAgent: `kubectl-rook_deps/${VERSION}`,
    onWarning: (text) => warn(io, text),
    ...(verbosity >= 6 ? { trace: (line: string) => io.error(line) } : {}),
  });
  const started = io.now();
  const close = (): void => {
    if (verbosity >= 2) io.error(`${transport.requestCount} requests in ${io.now() - started} ms`);
    transport.close();
  };
  const types = options.kindsChange
    ? kube.refreshedTypes(transport, systemClock)
    : kube.typesAskedOnce(transport);
  const reader = kubeReader(transport, { fallbackNamespace: connection.namespace, types });
  const writer = kubeWriter(transport, types);
  const raw = (path: string, signal: AbortSignal): Promise<string> => rawBody(transport, path, signal);
  const [evict, exec] = [podEviction(transport), podExec(transport)];
  return { reader, writer, evict, raw, namespace: connection.namespace, exec, close };
}

export function warn(io: Io, text: string): void {
  const coloured = io.stderrIsTerminal && io.env['TERM'] !== 'dumb' && io.env['NO_COLOR'] === undefined;
  io.error(`${coloured ? '\u001b[33;1mWarning:\u001b[0m' : 'Warning:'} ${printable(text)}`);
}
