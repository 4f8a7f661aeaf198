import type { Command } from '../command.ts';
import { outputFlag, outputFormat, serialized } from '../output.ts';
import { COMMIT, VERSION } from '../release.ts';

const FORMATS = ['json', 'yaml'];

export const version: Command = {
  name: 'version',
  summary: 'The version of this program',
  description: 'Prints the version of this program.',
  usage: 'version [--client] [flags]',
  examples: [{ what: 'The version, for a bug report', line: 'kubectl rook-deps version -o json' }],
  flags: {
    output: outputFlag(FORMATS),
    client: { type: 'boolean', describe: 'Show the version of this program only; no server is asked.' },
  },
  async run(args, io) {
    const format = outputFormat(args, FORMATS);
    const clientVersion = {
      version: VERSION,
      ...(COMMIT ? { gitCommit: COMMIT } : {}),
      node: process.version,
    };
    if (format === 'json' || format === 'yaml') io.print(await serialized({ clientVersion }, format));
    else io.print(`Client Version: ${VERSION}`);
    return 0;
  },
};
