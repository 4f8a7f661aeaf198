import { dirname } from 'node:path';
import { UserError } from '#pkg/object';
import type { Args } from '../args.ts';
import type { Command } from '../command.ts';
import { carryOut, isOnPath, planInstall } from '../completion/install.ts';
import { SHELL_SCRIPTS } from '../completion/shells.ts';
import type { Io } from '../io.ts';

const SHELLS = Object.keys(SHELL_SCRIPTS);

export const completion: Command = {
  name: 'completion',
  summary: 'Make the shell complete kinds, names, flags and their values',
  description: `Makes the shell complete commands, flags, kinds, the names of objects, namespaces, contexts and output formats.

'completion install' is what most people want: it writes kubectl_complete-rook_deps beside the plugin, where kubectl
1.26 or newer finds it. With the completion of kubectl itself loaded, 'kubectl rook-deps' is then completed in any shell.

With the name of a shell, prints a script that completes the program called by its own name, kubectl-rook_deps.`,
  usage: 'completion (install [--dir FOLDER] | bash | zsh | fish | powershell)',
  examples: [
    { what: "Complete 'kubectl rook-deps' in any shell", line: 'kubectl rook-deps completion install' },
    { what: 'Put it into a folder of PATH', line: 'kubectl rook-deps completion install --dir ~/bin' },
    {
      what: "Complete 'kubectl-rook_deps' in this bash",
      line: 'source <(kubectl rook-deps completion bash)',
    },
    {
      what: 'The same in every fish',
      line: 'kubectl rook-deps completion fish > ~/.config/fish/completions/kubectl-rook_deps.fish',
    },
  ],
  flags: {
    dir: { type: 'string', describe: 'Folder to install into; where the plugin is found by default.' },
  },
  async run(args, io) {
    const [what, ...rest] = args.words;
    if (rest.length > 0) throw new UserError(`error: unexpected argument "${rest[0]}"`);
    if (what === 'install') return install(args, io);
    if (args.text('dir') !== undefined)
      throw new UserError('error: --dir is for "completion install" alone; a script is printed');
    const script = what !== undefined && Object.hasOwn(SHELL_SCRIPTS, what) ? SHELL_SCRIPTS[what] : undefined;
    if (script === undefined) throw unknownShell(what);
    io.print(script);
    return 0;
  },
};

async function install(args: Args, io: Io): Promise<number> {
  const plan = await planInstall(args.text('dir'), io);
  await carryOut(plan);
  io.print(`${plan.file} ${plan.change}`);
  const folder = dirname(plan.file);
  if (!isOnPath(folder, io)) io.error(`Add ${folder} to PATH, so that kubectl finds it.`);
  return 0;
}

function unknownShell(what: string | undefined): UserError {
  const choices = `one of: install, ${SHELLS.join(', ')}`;
  return new UserError(
    what === undefined
      ? `error: You must specify ${choices}`
      : `error: unknown shell "${what}": must be ${choices}`,
  );
}
