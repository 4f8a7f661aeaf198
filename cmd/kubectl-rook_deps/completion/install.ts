import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { UserError } from '#pkg/object';
import type { Io } from '../io.ts';
import { completionProgram } from './program-file.ts';

/** What is to be written, and whether it is there already. */
export interface InstallPlan {
  readonly file: string;
  readonly text: string;
  readonly change: 'created' | 'configured' | 'unchanged';
}

/** Decides where the program that kubectl calls goes: to `dir`, else beside the plugin itself. */
export async function planInstall(dir: string | undefined, io: Io): Promise<InstallPlan> {
  const folder = dir ?? (await pluginFolder(io));
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new UserError(`error: there is no folder "${folder}"`);
  const { name, text } = completionProgram(io.platform);
  const file = join(folder, name);
  const present = await readFile(file, 'utf8').catch(() => undefined);
  if (present !== undefined && !present.includes('__complete'))
    throw new UserError(`error: "${file}" exists and is not a completion of this plugin: remove it first`);
  const change = present === undefined ? 'created' : present === text ? 'unchanged' : 'configured';
  return { file, text, change };
}

export async function carryOut({ file, text, change }: InstallPlan): Promise<void> {
  try {
    if (change !== 'unchanged') await writeFile(file, text);
    await chmod(file, 0o755);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UserError(`error: cannot write "${file}": ${reason}`, { cause });
  }
}

/** Whether kubectl will find what is in there. */
export function isOnPath(folder: string, io: Io): boolean {
  return pathOf(io).some((entry) => join(entry, '.') === join(folder, '.'));
}

/** The folder through which kubectl finds the plugin: for Krew, that of its links. */
async function pluginFolder(io: Io): Promise<string> {
  const names = ['kubectl-rook_deps', ...(io.platform === 'win32' ? ['kubectl-rook_deps.exe'] : [])];
  for (const folder of pathOf(io))
    for (const name of names) if (await stat(join(folder, name)).catch(() => undefined)) return folder;
  throw new UserError(
    'error: there is no kubectl-rook_deps on PATH to put it beside: pass --dir, a folder that is on PATH',
  );
}

function pathOf({ env }: Io): readonly string[] {
  return (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
}
