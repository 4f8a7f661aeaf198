import { createHash } from 'node:crypto';
import { glob, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bundle } from '../build/bundle.ts';
import { verifyMacExecutable } from '../build/mach-o/index.ts';
import { executableName, hostPlatform, type Platform } from '../build/platforms.ts';
import type { Runtime } from '../build/runtimes.ts';
import { makeExecutable } from '../build/single-executable.ts';
import { completionProgram } from '../../cmd/kubectl-rook_deps/completion/program-file.ts';
import { archive } from './archive.ts';
import type { BundledPackage } from './bundled-packages.ts';
import { archiveName } from './krew-manifest.ts';
import { notices } from './notices.ts';

/** What the archives of all platforms are made from. */
export interface Ingredients {
  readonly root: string;
  readonly outDir: string;
  /** For what is needed on the way. */
  readonly work: string;
  readonly version: string;
  readonly bundle: Bundle;
  readonly packages: readonly BundledPackage[];
}

export interface Made {
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
  /** False when an earlier run has made it from the same. */
  readonly isNew: boolean;
}

/** Returns a function that makes the archive of a platform. */
export async function packager(
  { root, outDir, work, version, bundle, packages }: Ingredients,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<(platform: Platform, runtime: Runtime) => Promise<Made>> {
  const license = await readFile(join(root, 'LICENSE'));
  const recipe = await recipeHash(root);

  return async (platform, runtime) => {
    const name = archiveName(platform, version);
    const file = join(outDir, name);
    const keyFile = join(work, `${name}.key`);
    const texts = {
      LICENSE: license.toString('utf8'),
      'THIRD-PARTY-NOTICES.txt': notices(packages, {
        version: runtime.pin.version,
        license: runtime.license,
      }),
    };
    const key = hashOf(JSON.stringify([recipe, bundle.gzip.toString('base64'), runtime.pin, texts]));
    const earlier = await readFile(file).catch(() => undefined);
    if (earlier && (await textOf(keyFile)) === `${key} ${hashOf(earlier)}`)
      return { name, sha256: hashOf(earlier), bytes: earlier.length, isNew: false };

    const completion = completionProgram(platform.os);
    const packed = await archive([
      { name: executableName(platform), data: await executableOf(platform, runtime), isExecutable: true },
      { name: completion.name, data: completion.text, isExecutable: true },
      ...Object.entries(texts).map(([name, data]) => ({ name, data })),
    ]);
    await writeFile(file, packed);
    await writeFile(keyFile, `${key} ${hashOf(packed)}`);
    return { name, sha256: hashOf(packed), bytes: packed.length, isNew: true };
  };

  async function executableOf(platform: Platform, runtime: Runtime): Promise<Buffer> {
    // That of this machine is the one that the build has made.
    const folder = platform === hostPlatform() ? work : join(work, `${platform.os}-${platform.arch}`);
    await mkdir(folder, { recursive: true });
    const { file } = await makeExecutable(bundle, platform, runtime, folder, say, signal);
    const executable = await readFile(file);
    if (platform.os === 'darwin') verifyMacExecutable(executable, await readFile(runtime.node));
    return executable;
  }
}

/** Of all that decides how an archive is made from its ingredients. */
async function recipeHash(root: string): Promise<string> {
  const files: string[] = [];
  for await (const file of glob('scripts/{build,package}/**/*.ts', { cwd: root })) files.push(file);
  const texts = files
    .filter((file) => !file.endsWith('.test.ts'))
    .sort()
    .map((file) => readFile(join(root, file)));
  return hashOf(
    Buffer.concat([...(await Promise.all(texts)), await readFile(join(root, 'package-lock.json'))]),
  );
}

function hashOf(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}

async function textOf(file: string): Promise<string | undefined> {
  return (await stat(file).catch(() => undefined)) ? readFile(file, 'utf8') : undefined;
}
