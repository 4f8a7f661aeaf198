import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { describe, test } from 'vitest';
import { hostPlatform } from '../../scripts/build/platforms.ts';
import { requireGo } from '../../scripts/controlplane/go.ts';
import { goTool, run, type Finished, type GoTool } from '../../scripts/controlplane/index.ts';
import { controlPlane, describeOnCluster } from '../cluster/control-plane.ts';

const KREW: Omit<GoTool, 'name'> = {
  path: 'sigs.k8s.io/krew',
  version: 'v0.5.0',
  sum: 'h1:60yffZy8Mkif5ty13uLxxr5wzu8eY860AkeyaFyp4PY=',
};

export const ROOT = join(import.meta.dirname, '../..');

const LIMIT_MS = 290_000;
const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Why packages cannot be made here; undefined where they can. */
async function findObstacle(): Promise<string | undefined> {
  const { os, arch } = hostPlatform() ?? {};
  if (os !== 'linux' || arch !== 'amd64') return 'packages are made on Linux on x64';
  return requireGo('build Krew', AbortSignal.timeout(LIMIT_MS)).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

const obstacle = await findObstacle();

/** `describe` for tests of packages: skipped, with the reason, where none can be made. */
export function describePackages(name: string, tests: () => void): void {
  if (obstacle === undefined) describeOnCluster(name, tests);
  else describe.skip(`${name} (skipped: ${obstacle})`, tests);
}

/** Where Debian's libc6-arm64-cross and libstdc++6-arm64-cross put the libraries that a program for arm64 needs. */
export const ARM64_LIBRARIES = '/usr/aarch64-linux-gnu';

/** `test` for what runs under another program: skipped by its name where that, or what it needs, is not installed. */
export function testUnder(
  programs: readonly string[],
  name: string,
  body: (program: string, skip: (note: string) => void) => Promise<void>,
): void {
  const found = programs.find((program) => spawnSync(program, ['--version']).status === 0);
  const lacks = found?.startsWith('qemu') && !existsSync(`${ARM64_LIBRARIES}/lib/libstdc++.so.6`);
  const missing = found === undefined ? programs[0] : lacks ? 'libstdc++6-arm64-cross' : undefined;
  if (found === undefined || missing !== undefined)
    test.skip(`${name} (skipped: ${missing} is not installed)`, () => undefined);
  else test(name, ({ skip }) => body(found, (note) => skip(note)), LIMIT_MS);
}

/** The real tools around Krew, in a world that has nothing else. */
export interface Tools {
  /** `kubectl` with Krew and all that it has installed on PATH. */
  kubectl(
    krewRoot: string,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<Finished>;
  validateManifest(file: string): Promise<Finished>;
}

/** Builds Krew, and links it where kubectl finds it. */
export async function tools(folder: string): Promise<Tools> {
  const limit = AbortSignal.timeout(600_000);
  const krew = await goTool({ ...KREW, name: 'krew' }, say, limit);
  const validate = await goTool({ ...KREW, name: 'validate-krew-manifest' }, say, limit);
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await symlink(krew, join(bin, 'kubectl-krew'));
  const { kubectl, home } = controlPlane();
  const path = [bin, dirname(kubectl), '/usr/bin', '/bin'].join(delimiter);
  return {
    kubectl: (krewRoot, args, env = {}) =>
      run(
        kubectl,
        args,
        {
          env: {
            PATH: [join(krewRoot, 'bin'), path].join(delimiter),
            HOME: home,
            KREW_ROOT: krewRoot,
            ...env,
          },
          cwd: ROOT,
        },
        AbortSignal.timeout(LIMIT_MS),
      ),
    validateManifest: (file) =>
      run(validate, ['-manifest', file], { env: { PATH: path, HOME: home } }, AbortSignal.timeout(LIMIT_MS)),
  };
}
