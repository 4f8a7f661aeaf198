import {
  BUDGET,
  NODE,
  OSD_SELECTOR,
  parseRookState,
  parseState,
  ROOK_STATE_NAME,
  STATE_NAME,
  type DrainState,
} from '#pkg/drain';
import { Kinds, type GroupKind, type KubeObject, type Reader } from '#pkg/object';
import { isOfRook, isOurs, PURPOSE, type BudgetOwner } from './budgets.ts';
import { SERVICES } from './kinds.ts';

/** Everything of Kubernetes that a decision rests on, read from the server at this moment. */
export interface Observation {
  readonly deployments: readonly KubeObject[];
  readonly pods: readonly KubeObject[];
  readonly nodes: readonly KubeObject[];
  /** Pools, filesystems, stores, zones and mirrors of the cluster. */
  readonly services: readonly KubeObject[];
  readonly budgets: readonly KubeObject[];
  /** Ours; before we have written any, what Rook has left, which nobody would go on with otherwise. */
  readonly state: DrainState;
  /** Whether it is ours. */
  readonly hasState: boolean;
}

/** Throws when anything could not be read: what is not seen is not absent. */
export async function observe(
  namespace: string | undefined,
  reader: Pick<Reader, 'get' | 'list'>,
  signal: AbortSignal,
): Promise<Observation> {
  const list = async (
    kind: GroupKind,
    within?: string,
    labelSelector?: string,
  ): Promise<readonly KubeObject[]> => {
    const { items, gaps } = await reader.list(
      { kind, namespace: within, detail: 'object', labelSelector },
      signal,
    );
    const [gap] = gaps;
    if (gap) throw new Error(`cannot list ${gap.what}: ${gap.reason}`);
    return items;
  };
  const [deployments, pods, nodes, budgets, state, ...services] = await Promise.all([
    list(Kinds.Deployment, namespace, OSD_SELECTOR),
    list(Kinds.Pod, namespace, OSD_SELECTOR),
    list(NODE),
    list(BUDGET, namespace),
    readState(namespace, reader, signal),
    ...SERVICES.map((kind) => list(kind, namespace)),
  ]);
  return {
    deployments,
    pods,
    nodes,
    budgets,
    services: services.flat(),
    ...state,
  };
}

async function readState(
  namespace: string | undefined,
  reader: Pick<Reader, 'get'>,
  signal: AbortSignal,
): Promise<Pick<Observation, 'state' | 'hasState'>> {
  const ours = await reader.get(Kinds.ConfigMap, namespace, STATE_NAME, signal);
  if (ours) return { state: parseState(ours), hasState: true };
  const rooks = await reader.get(Kinds.ConfigMap, namespace, ROOK_STATE_NAME, signal);
  return { state: parseRookState(rooks), hasState: false };
}

/** The budgets of OSDs that are ours to change: our own, and what Rook left when it was told to stop. */
export function osdBudgetsIn(budgets: readonly KubeObject[], owner: BudgetOwner): readonly KubeObject[] {
  return budgets.filter(
    (budget) => isOfPurpose(budget, 'osd') || (!isOurs(budget) && isOfRook(budget, owner)),
  );
}

export function isOfPurpose(budget: KubeObject, purpose: 'osd' | 'daemon'): boolean {
  return isOurs(budget) && budget.metadata.labels?.[PURPOSE] === purpose;
}
