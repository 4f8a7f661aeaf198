import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { output } from '../controlplane/process.ts';
import type { Bundle } from './bundle.ts';
import { hostPlatform, executableName, type Platform } from './platforms.ts';
import type { Runtime } from './runtimes.ts';
import { signAdHoc } from './sign-ad-hoc.ts';
import { withoutSignature } from './windows-signature.ts';

/** Its program, not its API: that one prints warnings of its ELF parser that mean nothing. */
const POSTJECT = fileURLToPath(import.meta.resolve('postject/dist/cli.js'));
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
/** The first that puts a program into an executable by itself, also into that of another platform. */
const FIRST_TO_INJECT = 26;

export interface SingleExecutable {
  readonly file: string;
  readonly bytes: number;
  /** False when the one made by an earlier build is still right. */
  readonly rebuilt: boolean;
}

/** Puts the bundle into a copy of a platform's Node; the gzipped bundle goes along as the asset `bundle`. */
export async function makeExecutable(
  bundle: Bundle,
  platform: Platform,
  runtime: Runtime,
  outDir: string,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<SingleExecutable> {
  const file = join(outDir, executableName(platform));
  const keyFile = `${file}.key`;
  const config = seaConfig(platform, runtime);
  const key = createHash('sha256')
    .update(bundle.code)
    .update(JSON.stringify([config, runtime.pin]))
    .digest('hex');

  const made = await sizeOf(file);
  if (made !== undefined && (await recorded(keyFile)) === `${key} ${made}`)
    return { file, bytes: made, rebuilt: false };

  await assemble(bundle, config, platform, runtime, file, report, signal);
  const bytes = (await stat(file)).size;
  await writeFile(keyFile, `${key} ${bytes}`);
  return { file, bytes, rebuilt: true };
}

/** In a folder of its own, with relative paths: an executable holds the paths as they are written. */
async function assemble(
  bundle: Bundle,
  config: Readonly<Record<string, unknown>>,
  platform: Platform,
  runtime: Runtime,
  file: string,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const scratch = await mkdtemp(`${file}-`);
  try {
    await copyFile(bundle.file, join(scratch, basename(bundle.file)));
    await copyFile(bundle.gzipFile, join(scratch, basename(bundle.gzipFile)));
    const inject = majorOf(runtime) >= FIRST_TO_INJECT ? injectWithNode : injectWithPostject;
    await inject(config, runtime, scratch, signal);
    await chmod(join(scratch, 'out'), 0o755);
    if (platform.os === 'darwin') await signAdHoc(join(scratch, 'out'), report, signal);
    // Renamed into place, so that an executable in use is replaced and never half written.
    await rename(join(scratch, 'out'), file);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function seaConfig(platform: Platform, runtime: Runtime): Readonly<Record<string, unknown>> {
  return {
    main: 'rook-deps.cjs',
    assets: { bundle: 'rook-deps.cjs.gz' },
    disableExperimentalSEAWarning: true,
    // Takes two fifths off the start-up, and is valid only for the very Node that made it.
    useCodeCache: platform === hostPlatform() && runtime.node === runtime.generator,
    // NODE_OPTIONS is meant for the user's own Node programs, not for this one.
    execArgvExtension: 'none',
  };
}

async function injectWithPostject(
  config: Readonly<Record<string, unknown>>,
  { node, generator }: Runtime,
  cwd: string,
  signal: AbortSignal,
): Promise<void> {
  await writeFile(join(cwd, 'config.json'), JSON.stringify({ ...config, output: 'blob' }));
  await output(generator, [...SEED, '--experimental-sea-config', 'config.json'], { cwd }, signal);
  await copyFile(node, join(cwd, 'out'));
  await chmod(join(cwd, 'out'), 0o755);
  const args = [POSTJECT, 'out', 'NODE_SEA_BLOB', 'blob', '--sentinel-fuse', FUSE];
  await output(generator, args, { cwd }, signal);
}

async function injectWithNode(
  config: Readonly<Record<string, unknown>>,
  { node, generator }: Runtime,
  cwd: string,
  signal: AbortSignal,
): Promise<void> {
  // A signature would no longer be true, and Windows would say so.
  await writeFile(join(cwd, 'node'), withoutSignature(await readFile(node)), { mode: 0o755 });
  await writeFile(join(cwd, 'config.json'), JSON.stringify({ ...config, executable: 'node', output: 'out' }));
  await output(generator, [...SEED, '--build-sea', 'config.json'], { cwd }, signal);
}

/** Makes the code cache the same each time; the program itself runs with a seed of its own. */
const SEED = ['--random-seed=42'];

function majorOf({ pin }: Runtime): number {
  return Number(pin.version.split('.')[0]);
}

async function sizeOf(file: string): Promise<number | undefined> {
  return (await stat(file).catch(() => undefined))?.size;
}

async function recorded(keyFile: string): Promise<string | undefined> {
  return readFile(keyFile, 'utf8').catch(() => undefined);
}
