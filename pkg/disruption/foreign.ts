import { BUDGET, DEFAULT_BUDGET, listed, OSD_ID } from '#pkg/drain';
import { fieldAt, recordAt, structuredSelector, type KubeObject } from '#pkg/object';
import { isOfRook, isOurs, type BudgetOwner } from './budgets.ts';
import type { Observation } from './observation.ts';

/** What budgets of others take from us. */
export interface Foreign {
  /** OSDs that they select. With a second budget nobody could evict the pod. */
  readonly osds: ReadonlySet<number>;
  /** Names that are not ours to write. */
  readonly names: ReadonlySet<string>;
  /** For people, if OSDs are concerned by it. */
  readonly note: string | undefined;
}

/** Budgets that are neither ours nor Rook's are never changed. */
export function foreignBudgets(
  { budgets, deployments }: Pick<Observation, 'budgets' | 'deployments'>,
  owner: BudgetOwner,
): Foreign {
  const others = budgets.filter((budget) => !isOurs(budget) && !isOfRook(budget, owner));
  const held = others.map((budget) => ({ name: budget.metadata.name, ids: selected(budget, deployments) }));
  const concerned = held.filter(({ name, ids }) => ids.length > 0 || name === DEFAULT_BUDGET);
  return {
    osds: new Set(concerned.flatMap(({ ids }) => ids)),
    names: new Set(others.map(({ metadata }) => metadata.name)),
    note: concerned.length > 0 ? concerned.map(words).join('; ') : undefined,
  };
}

/** The OSDs whose pods a budget selects. */
export function selected({ spec }: KubeObject, deployments: readonly KubeObject[]): readonly number[] {
  const fits = structuredSelector(fieldAt(spec, 'selector'));
  return deployments
    .filter((deployment) => fits(podLabels(deployment)))
    .map(({ metadata }) => Number(metadata.labels?.[OSD_ID]));
}

function podLabels({ spec }: KubeObject): Readonly<Record<string, string>> {
  const labels = Object.entries(recordAt(spec, 'template', 'metadata', 'labels'));
  return Object.fromEntries(labels.map(([key, value]) => [key, String(value)]));
}

function words({ name, ids }: { readonly name: string; readonly ids: readonly number[] }): string {
  if (ids.length === 0) {
    return `${BUDGET.kind} ${name} is of somebody else, and rook-deps cannot protect the OSDs under this name; delete it`;
  }
  const osds = listed(ids.map((id) => `osd.${id}`));
  return `${BUDGET.kind} ${name} of somebody else selects ${osds}: rook-deps makes none over the same pods, which nobody could evict then; delete ${name} to have them protected`;
}
