import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { textAt } from '#pkg/object';
import { buildPlugin } from './build.ts';
import { PLATFORMS, type Platform } from './build/platforms.ts';
import { runtimeOf, type Runtime } from './build/runtimes.ts';
import { output } from './controlplane/index.ts';
import { bundledPackages } from './package/bundled-packages.ts';
import { archiveName, krewManifest, krewTemplate } from './package/krew-manifest.ts';
import { packager, type Made } from './package/packager.ts';
import { sbom, type ShippedRuntime } from './package/sbom.ts';

const ROOT = join(import.meta.dirname, '..');
const TEMPLATE = join(ROOT, '.krew.yaml');

export interface PackageOptions {
  readonly outDir: string;
  /** Make everything anew, also what an earlier run has made from the same. */
  readonly isFresh: boolean;
  /** Without all of them there are archives only: manifest and checksums are of a whole release. */
  readonly platforms: readonly Platform[];
}

/** Makes the archives of all platforms, with manifest, checksums and bill of materials beside them. */
export async function packagePlugin(
  { outDir, isFresh, platforms }: PackageOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const work = join(outDir, '.work');
  if (isFresh) await rm(outDir, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  const { bundle, release } = await buildPlugin(say, { outDir: work });
  const packages = await bundledPackages(ROOT, JSON.parse(await readFile(join(work, 'meta.json'), 'utf8')));
  const version = `v${release.version}`;
  const homepage = await homepageOf(ROOT);

  const runtimes = new Map<Platform, Runtime>();
  for (const platform of platforms) runtimes.set(platform, await runtimeOf(platform, say, signal));
  const make = await packager({ root: ROOT, outDir, work, version, bundle, packages }, say, signal);
  const checksums = new Map<Platform, string>();
  await inPairs([...runtimes], async ([platform, runtime]) => {
    const made = await make(platform, runtime);
    checksums.set(platform, made.sha256);
    say(lineFor(made));
  });

  if (PLATFORMS.some((platform) => !checksums.has(platform))) return;
  const bom = sbom(release, packages, await shippedRuntimes(runtimes, signal));
  const documents = {
    'plugin.yaml': krewManifest(version, homepage, checksums),
    [`kubectl-rook-deps_${version}.cdx.json`]: `${JSON.stringify(bom, undefined, 2)}\n`,
  };
  for (const [name, text] of Object.entries(documents)) await writeFile(join(outDir, name), text);
  await writeFile(TEMPLATE, krewTemplate(homepage));
  const names = [...PLATFORMS.map((platform) => archiveName(platform, version)), ...Object.keys(documents)];
  await removeOthers(outDir, names);
  await writeFile(join(outDir, 'SHA256SUMS'), await checksumLines(outDir, names));
  say(`manifest    ${relative(process.cwd(), join(outDir, 'plugin.yaml'))}, and ${names.length} checksums`);
}

function shippedRuntimes(
  runtimes: ReadonlyMap<Platform, Runtime>,
  signal: AbortSignal,
): Promise<readonly ShippedRuntime[]> {
  return Promise.all(
    [...runtimes].map(async ([{ os, arch }, { pin, generator }]) => ({
      pin,
      platform: `${os}/${arch}`,
      versions: await versionsOf(generator, signal),
    })),
  );
}

async function homepageOf(root: string): Promise<string> {
  const homepage = textAt(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')), 'homepage');
  if (!homepage) throw new Error('cannot find the homepage in package.json');
  return homepage;
}

/** The same version on this machine tells what the one that is shipped holds. */
async function versionsOf(node: string, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
  const text = await output(node, ['-p', 'JSON.stringify(process.versions)'], {}, signal);
  return JSON.parse(text) as Record<string, string>;
}

/** Two at a time: each takes a core and half a gigabyte. */
async function inPairs<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all([worker(), worker()]);
}

/** What an earlier version has left would be published along. */
async function removeOthers(outDir: string, names: readonly string[]): Promise<void> {
  for (const name of await readdir(outDir))
    if (!names.includes(name) && name !== '.work') await rm(join(outDir, name));
}

/** As sha256sum writes and checks them. */
async function checksumLines(outDir: string, names: readonly string[]): Promise<string> {
  const lines = names.toSorted().map(async (name) => {
    const sha256 = createHash('sha256').update(await readFile(join(outDir, name)));
    return `${sha256.digest('hex')}  ${name}\n`;
  });
  return (await Promise.all(lines)).join('');
}

function lineFor({ name, sha256, bytes, isNew }: Made): string {
  const size = `${(bytes / 1e6).toFixed(1)} MB`.padStart(8);
  return `archive     ${name.padEnd(46)} ${size}  ${sha256.slice(0, 12)}${isNew ? '' : ', up to date'}`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(ROOT, 'dist/packages') },
      fresh: { type: 'boolean', default: false },
    },
  });
  await packagePlugin(
    { outDir: resolve(values.out), isFresh: values.fresh, platforms: PLATFORMS },
    (line) => console.log(line),
    new AbortController().signal,
  );
  // Where Krew's people look for it.
  await copyFile(join(resolve(values.out), 'plugin.yaml'), join(ROOT, 'plugin.yaml'));
}
