import { createHash } from 'node:crypto';
import { DEFAULT_BUDGET, type OsdFacts } from '#pkg/drain';
import type { KubeObject, OwnerReference } from '#pkg/object';
import type { Protection } from './decision.ts';

export const MANAGED_BY = 'app.kubernetes.io/managed-by';
export const MANAGER = 'rook-deps';
/** What a budget is for: `osd` ones change with drains, `daemon` ones with counts. */
export const PURPOSE = 'rook-deps.io/budget';

const OSD_APP = 'rook-ceph-osd';
const UNPLACED_BUDGET = `${DEFAULT_BUDGET}-unplaced`;
const MAX_NAME = 63;

/** The cluster whose OSDs are protected. */
export interface BudgetOwner {
  readonly namespace: string;
  readonly reference: OwnerReference;
}

export function ownerOf({
  apiVersion,
  kind,
  metadata: { name, namespace = '', uid = '' },
}: KubeObject): BudgetOwner {
  return {
    namespace,
    reference: { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true },
  };
}

export interface BudgetSpec {
  readonly maxUnavailable?: number;
  readonly minAvailable?: number;
  readonly selector: Selector;
  /** Always said, so that what a former version or somebody else has put there goes. */
  readonly unhealthyPodEvictionPolicy?: 'AlwaysAllow' | 'IfHealthyBudget';
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly Expression[];
}

interface Expression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn';
  readonly values: readonly string[];
}

/**
 * The budgets that give a protection. Each domain that labels name has one, and all OSDs without such a label another.
 * Those of `left` have one of somebody else.
 */
export function osdBudgets(
  protection: Protection,
  type: string,
  osds: readonly OsdFacts[],
  owner: BudgetOwner,
  left: ReadonlySet<number> = new Set(),
): readonly KubeObject[] {
  if (protection.kind === 'default') {
    const isAllLeft = left.size > 0 && osds.every(({ id, isGone }) => isGone || left.has(id));
    return isAllLeft ? [] : [defaultBudget(sortedIds([...protection.excluded, ...left]), owner)];
  }
  const mayGo = ({ id, domain, isDown }: OsdFacts): boolean =>
    left.has(id) || (domain === protection.draining && (isDown || isFree(protection)));
  const placed = osds.filter((osd) => !osd.isUnlabelled && !osd.isGone);
  const named = new Set(placed.map(({ domain }) => domain));
  const unlabelled = osds.filter((osd) => osd.isUnlabelled);
  const domainOnes = [...named].flatMap((domain) => {
    const own = placed.filter((osd) => osd.domain === domain);
    const without = own.filter(mayGo).map(({ id }) => id);
    return without.length === own.length ? [] : [domainBudget(type, domain, without, owner)];
  });
  const free = sortedIds(unlabelled.filter(mayGo).map(({ id }) => id));
  const hasUnplaced = unlabelled.some(({ id }) => !left.has(id));
  return [...domainOnes, ...(hasUnplaced ? [unplacedBudget(type, named, free, owner)] : [])];
}

/** All of a domain with a name may go, unless they must stay; of those of no known place only whoever is down. */
function isFree({ draining, stay }: Extract<Protection, { kind: 'blocking' }>): boolean {
  return draining !== '' && stay === undefined;
}

function sortedIds(ids: readonly number[]): readonly number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}

/**
 * A pod that is not ready may go while all others are there, and no further: a node that only the API server does not
 * reach has pods that are not ready and OSDs that serve.
 */
function defaultBudget(excluded: readonly number[], owner: BudgetOwner): KubeObject {
  const selector: Selector = {
    matchExpressions: [
      { key: 'app', operator: 'In', values: [OSD_APP] },
      ...noneOf('osd', excluded.map(String)),
    ],
  };
  return budget(
    DEFAULT_BUDGET,
    'osd',
    { maxUnavailable: 1, selector, unhealthyPodEvictionPolicy: 'IfHealthyBudget' },
    owner,
  );
}

function domainBudget(
  type: string,
  domain: string,
  without: readonly number[],
  owner: BudgetOwner,
): KubeObject {
  const matchExpressions = noneOf('osd', without.map(String));
  const selector: Selector = {
    matchLabels: { app: OSD_APP, [`topology-location-${type}`]: domain },
    ...(matchExpressions.length > 0 ? { matchExpressions } : {}),
  };
  return blockingBudget(blockingName(type, domain), selector, owner);
}

/** Over whatever no budget of a domain finds: no label, an empty one, or a name that nobody knows. */
function unplacedBudget(
  type: string,
  named: ReadonlySet<string>,
  free: readonly number[],
  owner: BudgetOwner,
): KubeObject {
  const matchExpressions = [
    ...noneOf(`topology-location-${type}`, [...named].sort()),
    ...noneOf('osd', free.map(String)),
  ];
  const selector = {
    matchLabels: { app: OSD_APP },
    ...(matchExpressions.length > 0 ? { matchExpressions } : {}),
  };
  return blockingBudget(UNPLACED_BUDGET, selector, owner);
}

function blockingBudget(name: string, selector: Selector, owner: BudgetOwner): KubeObject {
  return budget(
    name,
    'osd',
    { maxUnavailable: 0, selector, unhealthyPodEvictionPolicy: 'IfHealthyBudget' },
    owner,
  );
}

/** The API server knows no empty list. */
function noneOf(key: string, values: readonly string[]): readonly Expression[] {
  return values.length > 0 ? [{ key, operator: 'NotIn', values }] : [];
}

/** As Rook names them: a long name of a domain gives way to its hash. */
export function blockingName(type: string, domain: string): string {
  const plain = `${DEFAULT_BUDGET}-${type}-${domain}`;
  if (plain.length <= MAX_NAME) return plain;
  const hash = createHash('sha256').update(domain).digest().subarray(0, 16).toString('hex');
  return `${DEFAULT_BUDGET}-${type}-${hash}`;
}

export function budget(
  name: string,
  purpose: 'osd' | 'daemon',
  spec: BudgetSpec,
  { namespace, reference }: BudgetOwner,
): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: {
      name,
      namespace,
      labels: { [MANAGED_BY]: MANAGER, [PURPOSE]: purpose },
      ownerReferences: [reference],
    },
    spec,
  };
}

export function isOurs({ metadata }: KubeObject): boolean {
  return metadata.labels?.[MANAGED_BY] === MANAGER;
}

/** Rook makes budgets of these names for this cluster, and leaves them when it is told to stop. */
export function isOfRook({ metadata }: KubeObject, { reference }: BudgetOwner): boolean {
  const isNamed = metadata.name === DEFAULT_BUDGET || metadata.name.startsWith(`${DEFAULT_BUDGET}-`);
  return isNamed && (metadata.ownerReferences ?? []).some(({ uid }) => uid === reference.uid);
}
