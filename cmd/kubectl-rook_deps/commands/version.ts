import { findInstalled, ownBundle, type Installed } from '#pkg/install';
import type { Gap } from '#pkg/object';
import type { Args } from '../args.ts';
import type { Command } from '../command.ts';
import type { Io } from '../io.ts';
import { outputFlag, outputFormat, serialized } from '../output.ts';
import { COMMIT, VERSION } from '../release.ts';
import { openCluster, warn } from '../wiring.ts';

const FORMATS = ['json', 'yaml'];

export const version: Command = {
  name: 'version',
  summary: 'The version of this program, and of what is installed',
  description:
    'Prints the version of this program and of what is installed in the cluster, and warns if they differ.',
  usage: 'version [--client] [flags]',
  examples: [
    { what: 'The versions, for a bug report', line: 'kubectl rook-deps version -o json' },
    { what: 'Without a cluster', line: 'kubectl rook-deps version --client' },
  ],
  flags: {
    output: outputFlag(FORMATS),
    client: { type: 'boolean', describe: 'Show the version of this program only; no server is asked.' },
  },
  async run(args, io, signal) {
    const format = outputFormat(args, FORMATS);
    const clientVersion = {
      version: VERSION,
      ...(COMMIT ? { gitCommit: COMMIT } : {}),
      node: process.version,
    };
    const isText = format !== 'json' && format !== 'yaml';
    if (isText) io.print(`Client Version: ${VERSION}`);
    const found = args.isSet('client') ? undefined : await look(args, io, signal);
    if (isText && found) io.print(`Installed Version: ${installedText(found.installed)}`);
    if (!isText) io.print(await serialized({ clientVersion, ...(found ? document(found) : {}) }, format));
    if (found?.installed && 'bundleHash' in found.installed) await warnOfSkew(found.installed, io);
    return 0;
  },
};

interface Found {
  readonly installed: Installed | Gap | undefined;
}

async function look(args: Args, io: Io, signal: AbortSignal): Promise<Found> {
  const cluster = await openCluster(args, io);
  try {
    return { installed: await findInstalled(cluster.reader, signal) };
  } finally {
    cluster.close();
  }
}

function installedText(installed: Installed | Gap | undefined): string {
  if (!installed) return '<none>';
  if ('reason' in installed) return `<unknown> (${installed.what}: ${installed.reason})`;
  return `${installed.version} (bundle ${installed.bundleHash}, namespace ${installed.namespace})`;
}

function document({ installed }: Found): object {
  if (!installed) return { installedVersion: null };
  if ('reason' in installed)
    return { installedVersion: { problem: `${installed.what}: ${installed.reason}` } };
  const { version, bundleHash, namespace } = installed;
  return { installedVersion: { version, bundle: bundleHash, namespace } };
}

async function warnOfSkew({ version, bundleHash }: Installed, io: Io): Promise<void> {
  if (version !== VERSION) {
    warn(
      io,
      `${version} is installed, and this is ${VERSION}: 'kubectl rook-deps install' brings the cluster to ${VERSION}`,
    );
    return;
  }
  // A run from the sources has no bundle to compare with.
  const own = await ownBundle().catch(() => undefined);
  if (own && own.hash !== bundleHash)
    warn(io, `another build of ${version} is installed (bundle ${bundleHash}, not ${own.hash})`);
}
