import { parseAllDocuments } from 'yaml';
import { groupOf, isRecord, parseObject, UserError, type KubeObject } from '#pkg/object';
import { jsonValues } from './json-stream.ts';

/** What one text holds: its objects, and the kinds of its lists, be they empty. */
export interface Documents {
  readonly objects: readonly KubeObject[];
  readonly listedKinds: readonly { readonly group: string; readonly kind: string }[];
}

/** Reads all objects of a text. `origin` is how errors name it. */
export function parseDocuments(text: string, origin: string): Documents {
  const objects: KubeObject[] = [];
  const listedKinds: { group: string; kind: string }[] = [];
  for (const { value, where } of valuesOf(text, origin)) {
    if (value === null || value === undefined) continue;
    for (const item of itemsOf(value, listedKinds)) {
      const object = parseObject(item);
      if (typeof object === 'string') throw new UserError(`error: error parsing ${where}: ${object}`);
      objects.push(object);
    }
  }
  return { objects, listedKinds };
}

interface Located {
  readonly value: unknown;
  readonly where: string;
}

function* valuesOf(text: string, origin: string): Iterable<Located> {
  // JSON is a tenth of the work, and large dumps are JSON. Anything else goes the long way.
  const values = jsonValues(text);
  if (values) {
    const where = (at: number): string => (values.length > 1 ? `${origin}: document ${at + 1}` : origin);
    for (const [at, value] of values.entries()) yield { value, where: where(at) };
    return;
  }
  const documents = parseAllDocuments(text, { prettyErrors: false, logLevel: 'silent' });
  if (!Array.isArray(documents)) return;
  const lineAt = lineCounter(text);
  for (const [at, document] of documents.entries()) {
    const [error] = document.errors;
    const line = (offset: number): string => `${origin}: document ${at + 1}, line ${lineAt(offset)}`;
    if (error)
      throw new UserError(`error: error parsing ${line(error.pos[0])}: ${error.message}`, { cause: error });
    yield { value: toValue(document, line), where: line(document.contents?.range?.[0] ?? 0) };
  }
}

function toValue(
  document: ReturnType<typeof parseAllDocuments>[number],
  line: (offset: number) => string,
): unknown {
  try {
    return document.toJS() as unknown;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new UserError(`error: error parsing ${line(document.contents?.range?.[0] ?? 0)}: ${message}`, {
      cause,
    });
  }
}

function lineCounter(text: string): (offset: number) => number {
  return (offset) => text.slice(0, offset).split('\n').length;
}

/** `kind: List`, and typed lists whose items may leave out what the list says. */
function* itemsOf(value: unknown, listedKinds: { group: string; kind: string }[]): Iterable<unknown> {
  if (Array.isArray(value)) {
    yield* value;
    return;
  }
  const kind = isRecord(value) ? value['kind'] : undefined;
  const items = isRecord(value) ? value['items'] : undefined;
  if (!isRecord(value) || typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) {
    yield value;
    return;
  }
  const itemKind = kind.slice(0, -'List'.length);
  const apiVersion = value['apiVersion'];
  if (itemKind && typeof apiVersion === 'string')
    listedKinds.push({ group: groupOf(apiVersion), kind: itemKind });
  for (const item of items) yield itemKind && isRecord(item) ? { apiVersion, kind: itemKind, ...item } : item;
}
