import { mkdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle, type Bundle } from './build/bundle.ts';
import { writeLauncher } from './build/launcher.ts';
import { hostPlatform } from './build/platforms.ts';
import { releaseOf, type Release } from './build/release.ts';
import { runtimeOf } from './build/runtimes.ts';
import { makeExecutable } from './build/single-executable.ts';

const ROOT = join(import.meta.dirname, '..');
const ENTRY = join(ROOT, 'cmd/kubectl-rook_deps/main.ts');

export interface Built {
  /** What kubectl finds on PATH. */
  readonly executable: string;
  readonly bundle: Bundle;
  readonly release: Release;
}

/** Makes the bundle and the executable of this platform, saying each step through `say`. */
export async function buildPlugin(
  say: (line: string) => void,
  { entry = ENTRY, outDir = join(ROOT, 'dist') }: { readonly entry?: string; readonly outDir?: string } = {},
): Promise<Built> {
  await mkdir(outDir, { recursive: true });
  const release = await releaseOf(ROOT);
  const bundled = await bundle(entry, outDir, release);
  say(`bundle      ${shown(bundled.file)}, version ${release.version}`);
  const executable = await executableFor(bundled, outDir, say);
  say(
    `sizes       bundle ${bytes(bundled.code.length)}, gzipped ${bytes(bundled.gzip.length)}${executable.size}`,
  );
  return { executable: executable.file, bundle: bundled, release };
}

async function executableFor(
  bundled: Bundle,
  outDir: string,
  say: (line: string) => void,
): Promise<{ readonly file: string; readonly size: string }> {
  const platform = hostPlatform();
  if (!platform) {
    const file = await writeLauncher(outDir, process.execPath, bundled.file);
    say(`launcher    ${shown(file)}, for there is no Node to build in for this platform`);
    return { file, size: '' };
  }
  const { signal } = new AbortController();
  const runtime = await runtimeOf(platform, say, signal);
  const {
    file,
    bytes: size,
    rebuilt,
  } = await makeExecutable(bundled, platform, runtime, outDir, say, signal);
  say(`executable  ${shown(file)}${rebuilt ? '' : ', up to date'}`);
  return { file, size: `, executable ${bytes(size)}` };
}

function shown(file: string): string {
  return relative(process.cwd(), file);
}

function bytes(count: number): string {
  return `${count.toLocaleString('en')} B`;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { entry: { type: 'string' }, out: { type: 'string' } } });
  await buildPlugin((line) => console.log(line), {
    ...(values.entry ? { entry: resolve(values.entry) } : {}),
    ...(values.out ? { outDir: resolve(values.out) } : {}),
  });
}
