import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundle } from './bundle.ts';

interface Metafile {
  readonly inputs: Readonly<
    Record<string, { readonly imports: readonly { readonly path: string; readonly kind: string }[] }>
  >;
}

const CMD = 'cmd/kubectl-rook_deps';

/** All that is loaded together with some files: their imports, but not those that wait until they are needed. */
function loadedWith(files: readonly string[], { inputs }: Metafile): ReadonlySet<string> {
  const loaded = new Set<string>();
  const queue = [...files];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (loaded.has(file)) continue;
    loaded.add(file);
    const now = inputs[file]?.imports.filter(({ kind }) => kind !== 'dynamic-import') ?? [];
    queue.push(...now.map(({ path }) => path));
  }
  return loaded;
}

test('help, version --client and completion load neither a client nor what talks to a server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rook-deps-bundle-'));
  await bundle(`${CMD}/main.ts`, folder, { version: '0.0.0', commit: '' });
  const metafile = JSON.parse(await readFile(join(folder, 'meta.json'), 'utf8')) as Metafile;
  await rm(folder, { recursive: true });
  const entries = ['main.ts', 'commands/version.ts', 'completion/complete.ts'].map(
    (file) => `${CMD}/${file}`,
  );
  const loaded = [...loadedWith(entries, metafile)];
  expect(loaded).toEqual(expect.arrayContaining(entries));
  const heavy =
    /client-node|^pkg\/(kube|render|rules|install|snapshot|usage|admission)\/|yargs-factory|^node:https?$/;
  expect(loaded.filter((file) => heavy.test(file))).toEqual([]);
  expect([...loadedWith([`${CMD}/installed-version.ts`], metafile)].some((file) => heavy.test(file))).toBe(
    true,
  );
});
