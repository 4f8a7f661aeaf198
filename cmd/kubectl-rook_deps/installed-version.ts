import { findInstalled, ownBundle, type Installed } from '#pkg/install';
import type { Gap } from '#pkg/object';
import type { Args } from './args.ts';
import type { Io } from './io.ts';
import { VERSION } from './release.ts';
import { openCluster, warn } from './wiring.ts';

/** What `version` says about the cluster. */
export interface InstalledVersion {
  readonly text: string;
  readonly document: object;
  warnOfSkew(): Promise<void>;
}

export async function installedVersion(args: Args, io: Io, signal: AbortSignal): Promise<InstalledVersion> {
  const installed = await look(args, io, signal);
  return {
    text: textOf(installed),
    document: documentOf(installed),
    warnOfSkew: async () => {
      if (installed && 'bundleHash' in installed) await warnOfSkew(installed, io);
    },
  };
}

async function look(args: Args, io: Io, signal: AbortSignal): Promise<Installed | Gap | undefined> {
  const cluster = await openCluster(args, io);
  try {
    return await findInstalled(cluster.reader, signal);
  } finally {
    cluster.close();
  }
}

function textOf(installed: Installed | Gap | undefined): string {
  if (!installed) return '<none>';
  if ('reason' in installed) return `<unknown> (${installed.what}: ${installed.reason})`;
  return `${installed.version} (bundle ${installed.bundleHash}, namespace ${installed.namespace})`;
}

function documentOf(installed: Installed | Gap | undefined): object {
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
