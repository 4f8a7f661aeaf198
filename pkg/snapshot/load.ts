import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import {
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
  const warnings: string[] = [];
  for await (const { text, origin } of texts(sources, signal)) {
    const documents = parseDocuments(text, origin);
    for (const kind of documents.listedKinds) kinds.add(kindKey(kind));
    for (const parsed of documents.objects) {
      const object = withNamespace(parsed, sources.defaultNamespace);
      const key = keyOf(refOf(object));
      const known = objects.get(key);
      if (known)
        warnings.push(
          `${object.kind} ${object.metadata.name} is in ${known.origin} and again in ${origin}; the last one counts`,
        );
      objects.set(key, { object, origin });
      kinds.add(kindKey(refOf(object)));
    }
  }
  return { objects: [...objects.values()].map(({ object }) => object), kinds, warnings };
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
  const info = await stat(path).catch((cause: unknown) => {
    throw new UserError(unreadable(path, cause), { cause });
  });
  if (!info.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new UserError(unreadable(path, cause), { cause });
  });
  const files = entries
    .filter((entry) => !entry.isDirectory() && EXTENSIONS.has(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (files.length === 0) throw new UserError(`error: no YAML or JSON files in the folder "${path}"`);
  return files;
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
