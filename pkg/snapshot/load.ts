import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import {
  compareText,
  keyOf,
  KNOWN_TYPES,
  kindKey,
  refOf,
  UserError,
  type KindKey,
  type KubeObject,
  type ObjectKey,
} from '#pkg/object';
import { parseDocuments } from './documents.ts';

/** Where manifests come from. */
export interface ManifestSources {
  /** Files and folders; `-` is standard input. */
  readonly paths: readonly string[];
  readonly readStdin: () => Promise<string>;
  /** For namespaced objects that name no namespace. */
  readonly defaultNamespace: string;
}

export interface Manifests {
  readonly objects: readonly KubeObject[];
  /** Kinds of which the files say something, be it that there are none. */
  readonly kinds: ReadonlySet<KindKey>;
  readonly warnings: readonly string[];
}

const EXTENSIONS = new Set(['.yaml', '.yml', '.json']);
const NAMESPACED = new Set(KNOWN_TYPES.filter(({ namespaced }) => namespaced).map(kindKey));

/** Reads everything, or fails at the first thing that cannot be read: half a cluster would give a wrong answer. */
export async function loadManifests(sources: ManifestSources, signal: AbortSignal): Promise<Manifests> {
  const objects = new Map<ObjectKey, { object: KubeObject; origin: string }>();
  const kinds = new Set<KindKey>();
  const repeated: Repetition[] = [];
  for await (const { text, origin } of texts(sources, signal)) {
    const documents = parseDocuments(text, origin);
    for (const kind of documents.listedKinds) kinds.add(kindKey(kind));
    for (const parsed of documents.objects) {
      const object = withNamespace(parsed, sources.defaultNamespace);
      const key = keyOf(refOf(object));
      const known = objects.get(key);
      if (known) repeated.push({ object, first: known.origin, last: origin });
      objects.set(key, { object, origin });
      kinds.add(kindKey(refOf(object)));
    }
  }
  return {
    objects: [...objects.values()].map(({ object }) => object),
    kinds,
    warnings: repetitionWarnings(repeated),
  };
}

interface Repetition {
  readonly object: KubeObject;
  readonly first: string;
  readonly last: string;
}

const MAX_NAMED = 5;

/** The same file given twice repeats everything in it: a few names are enough. */
function repetitionWarnings(repeated: readonly Repetition[]): readonly string[] {
  const named = repeated.slice(0, MAX_NAMED).map(({ object: { kind, metadata }, first, last }) => {
    const name = metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;
    return `${kind} ${name} is in ${first} and again in ${last}; the last one counts`;
  });
  const left = repeated.length - named.length;
  return left > 0 ? [...named, `${left} more objects are there twice; the last one of each counts`] : named;
}

function withNamespace(object: KubeObject, namespace: string): KubeObject {
  if (object.metadata.namespace || !NAMESPACED.has(kindKey(refOf(object)))) return object;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

async function* texts(
  sources: ManifestSources,
  signal: AbortSignal,
): AsyncIterable<{ text: string; origin: string }> {
  for (const path of sources.paths) {
    if (path === '-') {
      yield { text: await sources.readStdin(), origin: 'STDIN' };
      continue;
    }
    for (const file of await filesOf(path)) {
      signal.throwIfAborted();
      yield { text: await readText(file), origin: file };
    }
  }
}

async function filesOf(path: string): Promise<readonly string[]> {
  const found = await filesBelow(path, new Set());
  if (found.length === 0) throw new UserError(`error: no YAML or JSON files in the folder "${path}"`);
  return found;
}

/** Follows links, for a part that is left out makes a cluster look whole; enters each folder once. */
async function filesBelow(path: string, entered: Set<string>): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const real = await realpath(path);
    if (entered.has(real)) return [];
    entered.add(real);
    const entries = await readdir(path, { withFileTypes: true });
    const files: string[] = [];
    for (const entry of entries.toSorted((a, b) => compareText(a.name, b.name))) {
      const child = join(path, entry.name);
      const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await stat(child)).isDirectory());
      if (isFolder) files.push(...(await filesBelow(child, entered)));
      else if (EXTENSIONS.has(extname(entry.name))) files.push(child);
    }
    return files;
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    throw new UserError(unreadable(path, cause), { cause });
  }
}

async function readText(file: string): Promise<string> {
  try {
    const bytes = await readFile(file);
    // Windows PowerShell saves what it redirects in UTF-16.
    const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
    return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes);
  } catch (cause) {
    throw new UserError(unreadable(file, cause), { cause });
  }
}

function unreadable(path: string, cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return `error: the path "${path}" does not exist`;
  if (code === 'EACCES') return `error: the path "${path}" cannot be accessed: permission denied`;
  return `error: the path "${path}" cannot be read: ${(cause as Error).message}`;
}
