import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { UserError } from '#pkg/object';
import { bundleOf, type Bundle } from './bundle.ts';

/** This very program: from inside its executable, or from the file that runs. */
export async function ownBundle(): Promise<Bundle> {
  const { getAsset, isSea } = await import('node:sea');
  if (isSea()) return bundleOf(new Uint8Array(getAsset('bundle')));
  const self = fileURLToPath(import.meta.url);
  return self.endsWith('.ts') ? builtFromSources() : besideOf(self);
}

async function besideOf(self: string): Promise<Bundle> {
  const zipped = await readFile(`${self}.gz`).catch(() => undefined);
  return bundleOf(zipped ?? gzipSync(await readFile(self), { level: 9 }));
}

async function builtFromSources(): Promise<Bundle> {
  const file = new URL('../../dist/rook-deps.cjs.gz', import.meta.url);
  const zipped = await readFile(file).catch((cause: unknown) => {
    throw new UserError(
      'error: there is no bundle to install: run "npm run build", and install from the program it makes',
      { cause },
    );
  });
  return bundleOf(zipped);
}
