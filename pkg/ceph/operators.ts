import {
  isForbidden,
  Kinds,
  mayAccount,
  textAt,
  type Gap,
  type KubeObject,
  type Reader,
  type Writer,
} from '#pkg/object';
import { operatorPods } from './pods.ts';

export interface OperatorPorts {
  readonly reader: Pick<Reader, 'list'>;
  /** To ask what the account of a pod may do. */
  readonly writer?: Pick<Writer, 'createReview'> | undefined;
}

/** The operators of one cluster. */
export interface Operators {
  readonly pods: readonly KubeObject[];
  /** They only look like it: anybody can make a pod with the label of an operator, and its answers would be believed. */
  readonly doubted: readonly KubeObject[];
  readonly gaps: readonly Gap[];
}

/** Is on the daemons that Rook makes: the namespace of the operator that did. Those of old versions have none. */
const MADE_FROM = 'rook.io/operator-namespace';

/**
 * Those beside the cluster; elsewhere, those where its daemons say that they were made from, or any where they say nothing,
 * if they may change its CephCluster. Whoever may not ask about that has to believe the daemons.
 */
export async function operatorsOf(
  namespace: string,
  ports: OperatorPorts,
  signal: AbortSignal,
): Promise<Operators> {
  const { reader } = ports;
  const [near, daemons] = await Promise.all([
    operatorPods(reader, namespace, signal),
    reader.list({ kind: Kinds.Deployment, namespace, labelSelector: MADE_FROM, detail: 'metadata' }, signal),
  ]);
  const told = operatorHomes(daemons.items);
  const isTold = told.length > 0;
  const homes = isTold ? told.filter((home) => home !== namespace) : near.items.length > 0 ? [] : [undefined];
  const listings = await Promise.all(homes.map((home) => operatorPods(reader, home, signal)));
  const far = listings
    .flatMap(({ items }) => items)
    .filter(({ metadata }) => metadata.namespace !== namespace);
  const judged = await Promise.all(far.map((pod) => mayChangeClusters(pod, namespace, ports, signal)));
  const isBelieved = (_: KubeObject, at: number): boolean => judged[at] ?? isTold;
  return {
    pods: [...near.items, ...far.filter(isBelieved)],
    doubted: far.filter((pod, at) => !isBelieved(pod, at)),
    gaps: [near, ...listings].flatMap(({ gaps }) => gaps),
  };
}

/** The namespaces from which these daemons were made. */
export function operatorHomes(daemons: readonly KubeObject[]): readonly string[] {
  return [...new Set(daemons.flatMap(({ metadata }) => metadata.labels?.[MADE_FROM] ?? []))];
}

/** As the operator may, in a namespace or in all; undefined where that cannot be asked. */
export async function mayChangeClusters(
  pod: KubeObject,
  namespace: string | undefined,
  { writer }: Pick<OperatorPorts, 'writer'>,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  if (!writer) return undefined;
  const { namespace: home = '' } = pod.metadata;
  const account = { namespace: home, name: textAt(pod, 'spec', 'serviceAccountName') ?? 'default' };
  const access = { verb: 'update', group: 'ceph.rook.io', resource: 'cephclusters' };
  try {
    return await mayAccount(account, namespace ? { ...access, namespace } : access, writer, signal);
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
