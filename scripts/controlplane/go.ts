import { fieldAt, textAt } from '#pkg/object';
import { output, run } from './process.ts';
import { Unavailable } from './unavailable.ts';

/** A version of a Go module, with the hash that its files must have. */
export interface GoModule {
  readonly path: string;
  readonly version: string;
  /** As in go.sum. */
  readonly sum: string;
}

/** Throws Unavailable, saying what for, when there is no Go on PATH. */
export async function requireGo(purpose: string, signal: AbortSignal): Promise<void> {
  const found = await run('go', ['version'], {}, signal).catch(() => undefined);
  signal.throwIfAborted();
  if (found?.code !== 0) throw new Unavailable(`Go is needed to ${purpose}, and it is not on PATH`);
}

/** The folder with a module's files, downloaded if need be. */
export async function moduleFolder(module: GoModule, signal: AbortSignal): Promise<string> {
  const wanted = `${module.path}@${module.version}`;
  const answer: unknown = JSON.parse(await output('go', ['mod', 'download', '-json', wanted], {}, signal));
  const folder = textAt(answer, 'Dir');
  if (!folder) throw new Error(`cannot download ${wanted}: ${String(fieldAt(answer, 'Error'))}`);
  const sum = textAt(answer, 'Sum');
  if (sum !== module.sum) throw new Error(`cannot trust ${wanted}: hash ${sum}, expected ${module.sum}`);
  return folder;
}
