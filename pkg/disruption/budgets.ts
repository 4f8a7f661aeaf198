import { createHash } from 'node:crypto';
import { DEFAULT_BUDGET } from '#pkg/drain';
import type { KubeObject, OwnerReference } from '#pkg/object';
import type { Protection } from './decision.ts';

export const MANAGED_BY = 'app.kubernetes.io/managed-by';
export const MANAGER = 'rook-deps';
/** What a budget is for: `osd` ones change with drains, `daemon` ones with counts. */
export const PURPOSE = 'rook-deps.io/budget';

const OSD_APP = 'rook-ceph-osd';
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
  readonly operator: 'In' | 'NotIn' | 'DoesNotExist';
  readonly values?: readonly string[];
}

/** The budgets that give a protection, each domain of `domains` being one. */
export function osdBudgets(
  protection: Protection,
  type: string,
  domains: readonly string[],
  owner: BudgetOwner,
): readonly KubeObject[] {
  if (protection.kind === 'default') return [defaultBudget(protection.excluded, owner)];
  const others = domains.filter((domain) => domain !== protection.draining);
  return others.map((domain) => blockingBudget(type, domain, owner));
}

/**
 * A pod that is not ready may go while all others are there, and no further: a node that only the API server does not
 * reach has pods that are not ready and OSDs that serve.
 */
function defaultBudget(excluded: readonly number[], owner: BudgetOwner): KubeObject {
  const exclusion: readonly Expression[] =
    excluded.length > 0 ? [{ key: 'osd', operator: 'NotIn', values: excluded.map(String) }] : [];
  const selector: Selector = {
    matchExpressions: [{ key: 'app', operator: 'In', values: [OSD_APP] }, ...exclusion],
  };
  return budget(
    DEFAULT_BUDGET,
    'osd',
    { maxUnavailable: 1, selector, unhealthyPodEvictionPolicy: 'IfHealthyBudget' },
    owner,
  );
}

/** OSDs whose labels name no domain are one of their own, so that none is left without a budget. */
function blockingBudget(type: string, domain: string, owner: BudgetOwner): KubeObject {
  const key = `topology-location-${type}`;
  const matchLabels = { app: OSD_APP, ...(domain ? { [key]: domain } : {}) };
  const selector: Selector = domain
    ? { matchLabels }
    : { matchLabels, matchExpressions: [{ key, operator: 'DoesNotExist' }] };
  return budget(
    blockingName(type, domain),
    'osd',
    { maxUnavailable: 0, selector, unhealthyPodEvictionPolicy: 'IfHealthyBudget' },
    owner,
  );
}

/** As Rook names them: a long name of a domain gives way to its hash. */
export function blockingName(type: string, domain: string): string {
  if (domain === '') return `${DEFAULT_BUDGET}-unplaced`;
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
