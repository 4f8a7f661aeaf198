import type { Command, CommandEntry, FlagSpecs } from './command.ts';

export const PROGRAM = 'kubectl rook-deps';

/** What the program prints when it is called without a command. */
export function rootHelp(commands: readonly CommandEntry[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    `${PROGRAM} explains what depends on a Rook-Ceph resource, what holds it, and what to do next.`,
    '',
    'Examples:',
    '  # May the pool go? What holds it?',
    `  ${PROGRAM} why cephblockpool/replicapool -n rook-ceph`,
    '',
    '  # The same from saved manifests, with no cluster at all',
    `  ${PROGRAM} why cephblockpool/replicapool --from dump/`,
    '',
    'Commands:',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}   ${summary}`),
    '',
    'Usage:',
    `  ${PROGRAM} [command] [flags]`,
    '',
    `Use "${PROGRAM} <command> --help" for more information about a given command.`,
    `Use "${PROGRAM} options" for a list of global command-line options (applies to all commands).`,
  ].join('\n');
}

export function commandHelp({ description, examples, flags, usage }: Command): string {
  return [
    description,
    '',
    'Examples:',
    ...examples.flatMap(({ what, line }, at) => [...(at > 0 ? [''] : []), `  # ${what}`, `  ${line}`]),
    '',
    ...(Object.keys(flags).length > 0 ? ['Options:', ...flagLines(flags), ''] : []),
    'Usage:',
    `  ${PROGRAM} ${usage}`,
    '',
    `Use "${PROGRAM} options" for a list of global command-line options (applies to all commands).`,
  ].join('\n');
}

export function globalFlagsHelp(flags: FlagSpecs): string {
  return ['The following options can be passed to any command:', '', ...flagLines(flags)].join('\n');
}

function flagLines(flags: FlagSpecs): readonly string[] {
  return Object.entries(flags)
    .flatMap(([name, { alias, type, unset, describe }]) => {
      const dashed = name.length === 1 ? `-${name}` : `--${name}`;
      const letter = typeof alias === 'string' ? `-${alias}, ` : '';
      return [`    ${letter}${dashed}=${unset ?? EMPTY[type]}:`, `\t${describe}`, ''];
    })
    .slice(0, -1);
}

const EMPTY = { string: `''`, boolean: 'false', array: '[]' } as const;
