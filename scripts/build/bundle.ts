import { build, type Plugin } from 'esbuild';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { loadManifests } from '#pkg/install';
import type { Release } from './release.ts';

const shim = (name: string): string => join(import.meta.dirname, '../shims', `${name}.ts`);

/** Its own plugin, since an alias matches packages only and this is a file inside one. */
const clientWithoutModels: Plugin = {
  name: 'client-without-models',
  setup({ onResolve }) {
    onResolve({ filter: /\/gen\/index\.js$/ }, ({ importer }) =>
      importer.includes('client-node') ? { path: shim('client-gen') } : undefined,
    );
  },
};

/** All that yargs needs of its surroundings for messages and locales, which nothing here asks it for. */
const yargsParserOnly: Plugin = {
  name: 'yargs-parser-only',
  setup({ onResolve, resolve }) {
    onResolve(
      { filter: /\/platform-shims\/esm\.mjs$/ },
      async ({ path, importer, resolveDir, kind, pluginData }) => {
        if (pluginData === yargsParserOnly || !importer.includes('yargs')) return undefined;
        const found = await resolve(path, { importer, resolveDir, kind, pluginData: yargsParserOnly });
        return { path: found.path, sideEffects: false };
      },
    );
  },
};

export interface Bundle {
  /** All of the program as one CommonJS file. */
  readonly file: string;
  readonly code: Buffer;
  readonly gzipFile: string;
  readonly gzip: Buffer;
}

/** Bundles `entry` and all it imports into `outDir`; the metafile beside it tells what takes the bytes. */
export async function bundle(entry: string, outDir: string, release: Release): Promise<Bundle> {
  const file = join(outDir, 'rook-deps.cjs');
  const manifests = await loadManifests();
  const { metafile } = await build({
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    minify: true,
    metafile: true,
    legalComments: 'none',
    // Without it, yargs and yaml would come in as their larger CommonJS twins.
    mainFields: ['module', 'main'],
    plugins: [clientWithoutModels, yargsParserOnly],
    alias: { undici: shim('undici'), 'js-yaml': shim('js-yaml'), 'string-width': shim('string-width') },
    // yargs asks for import.meta.url as it loads; CommonJS has none.
    banner: { js: "const __selfUrl=require('node:url').pathToFileURL(__filename).href;" },
    define: {
      'import.meta.url': '__selfUrl',
      __VERSION__: JSON.stringify(release.version),
      __COMMIT__: JSON.stringify(release.commit),
      // As a text: it is parsed only by those who need it.
      __MANIFESTS__: JSON.stringify(JSON.stringify(manifests)),
    },
    logLevel: 'warning',
  });
  await writeFile(join(outDir, 'meta.json'), JSON.stringify(metafile));
  const code = await readFile(file);
  const gzip = gzipSync(code, { level: 9 });
  await writeFile(`${file}.gz`, gzip);
  return { file, code, gzipFile: `${file}.gz`, gzip };
}
