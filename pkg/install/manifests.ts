import { readdir, readFile } from 'node:fs/promises';
import { isRecord, parseObject, type KubeObject } from '#pkg/object';

/** Set by the build: the manifests as a JSON text. A run from the sources has none. */
declare const __MANIFESTS__: string | undefined;

/** All manifests as they are in the repository, in no particular order. */
export async function loadManifests(): Promise<readonly KubeObject[]> {
  const documents: unknown =
    typeof __MANIFESTS__ === 'string' ? JSON.parse(__MANIFESTS__) : await readSources();
  return (Array.isArray(documents) ? documents : []).map(checked);
}

async function readSources(): Promise<readonly unknown[]> {
  const folder = new URL('../../manifests/', import.meta.url);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const { parseAllDocuments } = await import('yaml');
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as unknown));
}

function checked(value: unknown): KubeObject {
  const object = parseObject(value);
  if (typeof object !== 'string') return object;
  const kind = isRecord(value) ? String(value['kind']) : typeof value;
  throw new Error(`cannot use a manifest of kind "${kind}": ${object}`);
}
