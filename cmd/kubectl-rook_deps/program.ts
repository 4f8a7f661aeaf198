import { UserError } from '#pkg/object';
import { firstWord } from './canonical-flags.ts';
import type { CommandEntry } from './command.ts';
import { GLOBAL_FLAGS } from './global-flags.ts';
import { commandHelp, globalFlagsHelp, PROGRAM, rootHelp } from './help.ts';
import type { Io } from './io.ts';
import { parseArgs } from './parse.ts';
import { nearest } from './suggestion.ts';

/** All verbs, in the order help lists them. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'why',
    summary: 'May this resource go? What holds it, and what to do next',
    load: async () => (await import('./commands/why.ts')).why,
  },
  {
    name: 'tree',
    summary: 'Everything that depends on a resource, or that it depends on',
    load: async () => (await import('./commands/tree.ts')).tree,
  },
  {
    name: 'graph',
    summary: 'The whole dependency graph as DOT, Mermaid or JSON',
    load: async () => (await import('./commands/graph.ts')).graph,
  },
  {
    name: 'explain',
    summary: 'What a cause code means and how to resolve it',
    load: async () => (await import('./commands/explain.ts')).explain,
  },
  {
    name: 'protect',
    summary: 'Refuse the deletion of an object while it is needed',
    load: async () => (await import('./commands/protect.ts')).protect,
  },
  {
    name: 'unprotect',
    summary: 'Remove the protections of an object',
    load: async () => (await import('./commands/unprotect.ts')).unprotect,
  },
  {
    name: 'protections',
    summary: 'List what is protected, by whom and why',
    load: async () => (await import('./commands/protections.ts')).protections,
  },
  {
    name: 'delete',
    summary: 'Delete a resource with all that depends on it, leaves first',
    load: async () => (await import('./commands/delete.ts')).deleteCommand,
  },
  {
    name: 'maintenance',
    summary: 'Take a node out of service without hurting Ceph, and bring it back',
    load: async () => (await import('./commands/maintenance.ts')).maintenance,
  },
  {
    name: 'check',
    summary: 'Whether all is well: server, rights, installation, webhook, Rook',
    load: async () => (await import('./commands/check.ts')).check,
  },
  {
    name: 'install',
    summary: 'Install or upgrade the controller that protects',
    load: async () => (await import('./commands/install.ts')).install,
  },
  {
    name: 'uninstall',
    summary: 'Remove all that was installed, without a trace',
    load: async () => (await import('./commands/uninstall.ts')).uninstall,
  },
  {
    name: 'completion',
    summary: 'Make the shell complete kinds, names, flags and their values',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
  {
    name: 'version',
    summary: 'The version of this program, and of what is installed',
    load: async () => (await import('./commands/version.ts')).version,
  },
  {
    name: 'controller',
    summary: 'Run the controller and webhook',
    isHidden: true,
    load: async () => (await import('./commands/controller.ts')).controller,
  },
];

function isCommand(word: string): boolean {
  return COMMANDS.some(({ name }) => name === word);
}

/** Finds the command, parses its flags and runs it. Returns the exit code. */
export async function runProgram(argv: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  if (argv[0] === '__complete') {
    const { complete } = await import('./completion/complete.ts');
    return complete(argv.slice(1), COMMANDS, io, signal);
  }
  const first = firstWord(argv, GLOBAL_FLAGS, isCommand);
  if (!first) {
    parseArgs(argv, GLOBAL_FLAGS, PROGRAM);
    io.print(rootHelp(COMMANDS.filter(({ isHidden }) => !isHidden)));
    return 0;
  }
  const rest = argv.toSpliced(first.at, 1);
  if (first.word === 'help') return runProgram([...rest, '--help'], io, signal);
  if (first.word === 'options') {
    io.print(globalFlagsHelp(GLOBAL_FLAGS));
    return 0;
  }
  const entry = COMMANDS.find(({ name }) => name === first.word);
  if (!entry) throw unknownCommand(first.word);
  const command = await entry.load();
  const args = parseArgs(rest, { ...GLOBAL_FLAGS, ...command.flags }, `${PROGRAM} ${command.name}`);
  if (args.isSet('help')) {
    io.print(commandHelp(command));
    return 0;
  }
  return command.run(args, io, signal);
}

function unknownCommand(word: string): UserError {
  const near = nearest(
    word,
    COMMANDS.map(({ name }) => name),
  );
  const hint = near ? `\n\nDid you mean this?\n\t${near}` : `\nSee '${PROGRAM} --help' for usage.`;
  return new UserError(`error: unknown command "${word}" for "${PROGRAM}"${hint}`);
}
