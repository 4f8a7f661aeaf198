import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textAt } from '#pkg/object';

/** An npm package of which something is in the bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
  /** As in package-lock.json. */
  readonly integrity: string;
  /** The full text, as the package ships it. */
  readonly licenseText: string;
}

/** The folders of node_modules from which the metafile of esbuild took at least a byte, sorted. */
export function bundledFolders(metafile: unknown): readonly string[] {
  const { outputs } = metafile as {
    readonly outputs: Readonly<
      Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
    >;
  };
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((file) => (inputs[file]?.bytesInOutput ?? 0) > 0),
  );
  const folders = files.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(folders)].sort();
}

/** What is known of each package in the bundle; fails for one without a licence: it may not be shipped. */
export async function bundledPackages(root: string, metafile: unknown): Promise<readonly BundledPackage[]> {
  const lockfile: unknown = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  return Promise.all(
    bundledFolders(metafile).map(async (folder) => {
      const manifest: unknown = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
      const found = {
        name: textAt(manifest, 'name'),
        version: textAt(manifest, 'version'),
        license: textAt(manifest, 'license'),
        integrity: textAt(lockfile, 'packages', folder, 'integrity'),
        licenseText: await licenseTextIn(join(root, folder)),
      };
      for (const [what, value] of Object.entries(found))
        if (!value) throw new Error(`cannot ship ${folder}: no ${what}`);
      return found as BundledPackage;
    }),
  );
}

async function licenseTextIn(folder: string): Promise<string | undefined> {
  const files = (await readdir(folder)).filter((name) => /^(licen[cs]e|notice|copying)/i.test(name)).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.join('\n').trim() || undefined;
}
