import type { Command } from '../command.ts';
import { outputFlag, outputFormat, serialized } from '../output.ts';
import { COMMIT, VERSION } from '../release.ts';

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
    // Loaded only when a server is asked: start-up without one counts most.
    const installed = args.isSet('client')
      ? undefined
      : await (await import('../installed-version.ts')).installedVersion(args, io, signal);
    if (isText && installed) io.print(`Installed Version: ${installed.text}`);
    if (!isText) io.print(await serialized({ clientVersion, ...installed?.document }, format));
    await installed?.warnOfSkew();
    return 0;
  },
};
