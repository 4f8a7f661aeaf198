import { join } from 'node:path';
import { cacheFolder, ensureCached } from './cache.ts';
import { moduleFolder, requireGo, type GoModule } from './go.ts';
import { output } from './process.ts';

/** A program of the module `path` whose source is in `cmd/NAME`. */
export interface GoTool extends GoModule {
  readonly name: string;
}

/**
 * The executable of a tool: from the cache, else built in the folder of its own module, so with the versions that
 * its release pins. `go install` would do the same, but it also asks for the list of all versions, which not every
 * module proxy gives.
 */
export async function goTool(
  tool: GoTool,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const folder = cacheFolder('go-tools', `${tool.path}@${tool.version} ${tool.sum} ${tool.name}`);
  const fill = (into: string): Promise<void> => build(tool, into, report, signal);
  await ensureCached({ folder, files: [tool.name], fill, report }, signal);
  return join(folder, tool.name);
}

async function build(
  tool: GoTool,
  into: string,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  await requireGo(`build ${tool.name}`, signal);
  report(`building ${tool.name} ${tool.version} (once, up to 3 min)…`);
  const source = await moduleFolder(tool, signal);
  const env = { ...process.env, CGO_ENABLED: '0' };
  // The module's folder is read-only: neither its go.mod nor its go.sum can change.
  await output(
    'go',
    ['build', '-mod=readonly', '-trimpath', '-o', join(into, tool.name), `./cmd/${tool.name}`],
    { cwd: source, env },
    signal,
  );
}
