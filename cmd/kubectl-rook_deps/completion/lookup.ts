import type { GroupKind, KubeObject } from '#pkg/object';
import { objectStatus } from '#pkg/render';
import type { Args } from '../args.ts';
import { parseArgs } from '../parse.ts';
import type { Io } from '../io.ts';
import { openSource } from '../wiring.ts';
import type { Candidate } from './answer.ts';
import type { Asked } from './question.ts';

const NAMESPACE: GroupKind = { group: '', kind: 'Namespace' };
const NODE: GroupKind = { group: '', kind: 'Node' };

/** What only the kubeconfig or a server can tell. */
export async function lookUp(
  what: 'clusters' | 'contexts' | 'namespaces' | 'nodes' | 'users',
  asked: Asked,
  io: Io,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  const args = argsOf(asked);
  switch (what) {
    case 'namespaces':
      return (await listed(NAMESPACE, undefined, args, io, signal)).map(candidateOf);
    case 'nodes':
      return (await listed(NODE, undefined, args, io, signal)).map(candidateOf);
    case 'clusters':
    case 'contexts':
    case 'users': {
      const { mergedKubeconfig } = await import('#pkg/kube');
      const config = mergedKubeconfig(args.text('kubeconfig'), io.env, io.homeDir);
      return [...config[what].keys()].sort().map((value) => ({
        value,
        ...(what === 'contexts' && value === config.currentContext ? { description: 'current' } : {}),
      }));
    }
  }
}

/** The names of the objects of a type where the command would look for them, each with its phase. */
export async function namesOf(
  word: string,
  asked: Asked,
  io: Io,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  const args = argsOf(asked);
  const source = await openSource(args, io, signal);
  try {
    const type = (await source.reader.types(signal)).resolve(word);
    if (!type) return [];
    const namespace = type.namespaced ? source.namespace : undefined;
    const { items } = await source.reader.list({ kind: type, namespace, detail: 'object' }, signal);
    return sorted(items).map(candidateOf);
  } finally {
    source.close();
  }
}

async function listed(
  kind: GroupKind,
  namespace: string | undefined,
  args: Args,
  io: Io,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const source = await openSource(args, io, signal);
  try {
    return sorted((await source.reader.list({ kind, namespace, detail: 'object' }, signal)).items);
  } finally {
    source.close();
  }
}

function argsOf({ argv, flags }: Asked): Args {
  return parseArgs(argv, flags, '');
}

function sorted(items: readonly KubeObject[]): readonly KubeObject[] {
  return items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

function candidateOf(object: KubeObject): Candidate {
  return { value: object.metadata.name, description: objectStatus(object) };
}
