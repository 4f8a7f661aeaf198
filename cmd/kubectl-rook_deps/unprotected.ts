import { isRookOperator, providesFor, type CriticalService } from '#pkg/criticalservice';
import {
  compareRefs,
  isTerminating,
  Kinds,
  refOf,
  textAt,
  type KubeObject,
  type ResourceType,
} from '#pkg/object';
import { holdersOf, type Usage } from '#pkg/usage';
import type { Source } from './wiring.ts';

/** Something that is worth protecting, and is not. */
export interface Advice {
  readonly object: KubeObject;
  readonly why: string;
  readonly command: string;
}

/** What holds data: who deletes it by mistake learns so when it is too late. */
const HOLDERS: readonly (readonly [ResourceType, string])[] = [
  [Kinds.CephCluster, 'all that is stored in the cluster goes with it'],
  [Kinds.CephBlockPool, 'the block volumes in it go with it'],
  [Kinds.CephFilesystem, 'the files in it go with it'],
  [Kinds.CephObjectStore, 'the buckets in it go with it'],
];

/** Pools of Ceph itself, by their names there: they hold no volumes. */
const CEPHS_OWN: Readonly<Record<string, string>> = {
  '.mgr': 'the records of the managers go with it',
  '.nfs': 'the exports of all NFS servers go with it',
  '.rgw.root': 'the realms and zones of all object stores go with it',
};

export interface Protections {
  readonly usages: readonly Usage[];
  readonly services: readonly CriticalService[];
}

/** Looks at what is there; `warn` is told what could not be looked at. */
export async function findUnprotected(
  { reader }: Source,
  namespace: string | undefined,
  { usages, services }: Protections,
  warn: (text: string) => void,
  signal: AbortSignal,
): Promise<readonly Advice[]> {
  const listed = async (kind: ResourceType): Promise<readonly KubeObject[]> => {
    const { items, gaps } = await reader.list({ kind, namespace, detail: 'object' }, signal);
    for (const { what, reason } of gaps) warn(`not looked at: ${what}: ${reason}`);
    return items
      .filter((object) => !isTerminating(object))
      .toSorted((a, b) => compareRefs(refOf(a), refOf(b)));
  };
  const types = await reader.types(signal);
  const operators = (await listed(Kinds.Deployment)).filter(isRookOperator);
  const holders = await Promise.all(
    HOLDERS.map(async ([kind, why]) =>
      (await listed(kind)).map((object) => ({ object, why: whatCephKeepsIn(object) ?? why })),
    ),
  );
  return [
    ...operators
      .filter((object) => !services.some((service) => providesFor(service, object, types)))
      .map(operatorAdvice),
    ...holders
      .flat()
      .filter(({ object }) => holdersOf(object, usages).length === 0)
      .map(({ object, why }) => ({ object, why, command: usageCommand(object) })),
  ];
}

function whatCephKeepsIn(object: KubeObject): string | undefined {
  const isPool = refOf(object).kind === Kinds.CephBlockPool.kind;
  return isPool ? CEPHS_OWN[textAt(object, 'spec', 'name') ?? ''] : undefined;
}

function operatorAdvice(object: KubeObject): Advice {
  const why = 'without it nothing of Rook can be deleted: its finalizers stay';
  const { namespace = '', name } = object.metadata;
  const command = `kubectl rook-deps protect operator -n ${namespace}`;
  return { object, why: name === 'rook-ceph-operator' ? why : `runs the Rook operator; ${why}`, command };
}

function usageCommand({ kind, metadata: { namespace = '', name } }: KubeObject): string {
  return `kubectl rook-deps protect ${kind.toLowerCase()}/${name} -n ${namespace} --reason "holds data"`;
}
