import {
  compareRefs,
  isTerminating,
  isRookKind,
  Kinds,
  refOf,
  UserError,
  type KubeObject,
  type ResourceType,
} from '#pkg/object';
import type { Args } from './args.ts';
import type { FlagSpecs } from './command.ts';
import { resourceArgs, type ResourceArg } from './resource-args.ts';
import type { Source } from './wiring.ts';

export const SUBJECT_FLAGS: FlagSpecs = {
  'all-namespaces': {
    type: 'boolean',
    alias: 'A',
    describe: 'Ask about the objects of a type in all namespaces.',
  },
  selector: {
    type: 'string',
    alias: 'l',
    describe: 'Selector (label query) to filter the objects of a type on.',
  },
};

/** The objects that the arguments name, whole. Empty when a type has none. */
export async function findSubjects(
  args: Args,
  source: Source,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const types = await source.reader.types(signal);
  const named = resourceArgs(args.words, types);
  if (args.isSet('all-namespaces') && named.some(({ name }) => name !== undefined)) {
    throw new UserError('error: a resource cannot be retrieved by name across all namespaces');
  }
  if (args.text('selector') && named.some(({ name }) => name !== undefined)) {
    throw new UserError('error: name cannot be provided when a selector is specified');
  }
  const found = await Promise.all(named.map((arg) => findOne(arg, args, source, signal)));
  return found.flat();
}

async function findOne(
  { type, name }: ResourceArg,
  args: Args,
  source: Source,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  if (name === undefined) return listOfType(type, args, source, signal);
  if (type.namespaced && source.namespace === undefined)
    return [await findAnywhere(type, name, source, signal)];
  const namespace = type.namespaced ? source.namespace : undefined;
  const object = await source.reader.get(type, namespace, name, signal);
  if (!object) throw await notFound(type, name, source, signal);
  return [object];
}

async function listOfType(
  type: ResourceType,
  args: Args,
  source: Source,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const namespace = args.isSet('all-namespaces') || !type.namespaced ? undefined : source.namespace;
  const labelSelector = args.text('selector');
  const { items, gaps } = await source.reader.list(
    { kind: type, namespace, detail: 'object', labelSelector },
    signal,
  );
  const [gap] = gaps;
  if (gap) throw new UserError(`error: cannot list ${gap.what}: ${gap.reason}`);
  const sorted = items.toSorted((a, b) => compareRefs(refOf(a), refOf(b)));
  // Lists leave out who manages a field, which is what a deletion that hangs is asked about.
  return Promise.all(
    sorted.map(async (object) => {
      const { namespace, name } = object.metadata;
      return isTerminating(object)
        ? ((await source.reader.get(type, namespace, name, signal)) ?? object)
        : object;
    }),
  );
}

/** In kubectl's words: where there was nothing to ask about. */
export function noneFound(args: Args, { namespace }: Source): string {
  return args.isSet('all-namespaces') || namespace === undefined
    ? 'No resources found'
    : `No resources found in ${namespace} namespace.`;
}

/** Saved manifests without `-n`: a name that is there once needs no namespace. */
async function findAnywhere(
  type: ResourceType,
  name: string,
  source: Source,
  signal: AbortSignal,
): Promise<KubeObject> {
  const { items } = await source.reader.list({ kind: type, detail: 'object' }, signal);
  const [object, ...others] = items.filter(({ metadata }) => metadata.name === name);
  if (!object) throw await notFound(type, name, source, signal);
  if (others.length === 0) return object;
  const namespaces = [object, ...others].map(({ metadata }) => metadata.namespace ?? '').sort();
  throw new UserError(
    `error: ${type.singular} "${name}" is in several namespaces: ${namespaces.join(', ')} (use -n)`,
  );
}

async function notFound(
  type: ResourceType,
  name: string,
  source: Source,
  signal: AbortSignal,
): Promise<UserError> {
  const resource = type.group ? `${type.plural}.${type.group}` : type.plural;
  const what = `${resource} "${name}" not found`;
  const message = source.savedKinds ? `error: ${what} in the files` : `Error from server (NotFound): ${what}`;
  const hint = isRookKind(type) ? await namespaceHint(source, signal) : '';
  return new UserError(`${message}${hint}`);
}

/** People forget `-n rook-ceph`: say where the cluster is. */
async function namespaceHint(source: Source, signal: AbortSignal): Promise<string> {
  const { namespace } = source;
  if (namespace === undefined) return '';
  const { items } = await source.reader.list({ kind: Kinds.CephCluster, detail: 'metadata' }, signal);
  const namespaces = [...new Set(items.map(({ metadata }) => metadata.namespace ?? ''))];
  if (namespaces.length === 0 || namespaces.includes(namespace)) return '';
  const where = namespaces.map((other) => `"${other}"`).join(', ');
  return `\nThere is no CephCluster in namespace "${namespace}"; there is one in ${where} (use -n ${namespaces[0] ?? ''}).`;
}
