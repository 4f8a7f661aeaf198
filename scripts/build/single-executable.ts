import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bundle } from './bundle.ts';

/** Its program, not its API: that one prints warnings of its ELF parser that mean nothing. */
const POSTJECT = fileURLToPath(import.meta.resolve('postject/dist/cli.js'));
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

export interface SingleExecutable {
  readonly file: string;
  readonly bytes: number;
  /** False when the one made by an earlier build is still right. */
  readonly rebuilt: boolean;
}

/** Puts the bundle into a copy of `node`; the gzipped bundle goes along as the asset `bundle`. */
export async function makeExecutable(
  bundle: Bundle,
  node: string,
  outDir: string,
): Promise<SingleExecutable> {
  const file = join(outDir, 'kubectl-rook_deps');
  const keyFile = join(outDir, 'kubectl-rook_deps.key');
  const strip = stripTool();
  const config = seaConfig(bundle);
  const key = createHash('sha256')
    .update(bundle.code)
    .update(await readFile(node))
    .update(JSON.stringify([config, strip]))
    .digest('hex');

  const made = await sizeOf(file);
  if (made !== undefined && (await recorded(keyFile)) === `${key} ${made}`)
    return { file, bytes: made, rebuilt: false };

  await assemble(config, node, strip, outDir, file);
  const bytes = (await stat(file)).size;
  await writeFile(keyFile, `${key} ${bytes}`);
  return { file, bytes, rebuilt: true };
}

async function assemble(
  config: Readonly<Record<string, unknown>>,
  node: string,
  strip: string | undefined,
  outDir: string,
  file: string,
): Promise<void> {
  const scratch = await mkdtemp(join(outDir, 'sea-'));
  try {
    const copy = join(scratch, 'node');
    await copyFile(node, copy);
    await chmod(copy, 0o755);
    // Before the injection: afterwards it would throw out the injected section.
    if (strip) run(strip, [copy], outDir);
    const blob = await makeBlob(config, node, outDir, scratch);
    run(node, [POSTJECT, copy, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE], outDir);
    // Renamed into place, so that an executable in use is replaced and never half written.
    await rename(copy, file);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Paths are relative: the blob holds them as they are written, and must not depend on where it was built. */
function seaConfig(bundle: Bundle): Readonly<Record<string, unknown>> {
  return {
    main: basename(bundle.file),
    assets: { bundle: basename(bundle.gzipFile) },
    disableExperimentalSEAWarning: true,
    // Built on the platform it runs on, where the cache is valid: a fifth off the start-up.
    useCodeCache: true,
    // NODE_OPTIONS is meant for the user's own Node programs, not for this one.
    execArgvExtension: 'none',
  };
}

async function makeBlob(
  config: Readonly<Record<string, unknown>>,
  node: string,
  outDir: string,
  scratch: string,
): Promise<string> {
  const output = join(basename(scratch), 'blob');
  const configFile = join(scratch, 'config.json');
  await writeFile(configFile, JSON.stringify({ ...config, output }));
  // The very Node that is injected into: another version's blob crashes it.
  // The seed makes its code cache the same each time; the program itself runs with one of its own.
  run(node, ['--random-seed=42', '--experimental-sea-config', configFile], outDir);
  return join(scratch, 'blob');
}

function stripTool(): string | undefined {
  return ['strip', 'llvm-strip'].find((tool) => spawnSync(tool, ['--version']).status === 0);
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`cannot run "${basename(command)} ${args.join(' ')}": ${stderr}`, { cause: error });
}

async function sizeOf(file: string): Promise<number | undefined> {
  return (await stat(file).catch(() => undefined))?.size;
}

async function recorded(keyFile: string): Promise<string | undefined> {
  return readFile(keyFile, 'utf8').catch(() => undefined);
}
