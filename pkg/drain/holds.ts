import { numberAt, type KubeObject } from '#pkg/object';
import { evictionOf, type Eviction } from './eviction.ts';
import { DEFAULT_BUDGET, OSD_ID } from './kinds.ts';
import type { OsdFacts } from './osd-facts.ts';
import { domainWords, groupWords, listed, podWords } from './words.ts';

/** What is known of a drain in one cluster. */
export interface DrainPicture {
  /** The type of failure domain: `zone`. */
  readonly type: string;
  readonly osds: readonly OsdFacts[];
  /** The domain whose OSDs may go on; none while nothing drains. */
  readonly draining: string | undefined;
  /** The states of the placement groups in words, `12 active+undersized`; none while Ceph does not tell. */
  readonly groups: string | undefined;
}

/** What keeps pods where they are. */
export interface Hold {
  /** `uncounted`: nobody can tell yet. `broken`: the server refuses because of the budgets, not of the counts. */
  readonly kind: 'refused' | 'uncounted' | 'broken';
  /** One, or all that select the same pods when that is the trouble. */
  readonly budgets: readonly KubeObject[];
  readonly pods: readonly KubeObject[];
  /** The domain for whose sake they are held. */
  readonly domain?: string;
  /** A sentence for people, without a full stop. */
  readonly message: string;
}

/** Why pods of a namespace cannot be evicted now, a hold for each budget; nothing for those that can. */
export function holdsOn(
  pods: readonly KubeObject[],
  budgets: readonly KubeObject[],
  picture?: DrainPicture,
): readonly Hold[] {
  const held = pods.flatMap((pod) => {
    const eviction = evictionOf(pod, budgets);
    const holders = holdersOf(eviction);
    return holders.length > 0 ? [{ pod, eviction, holders }] : [];
  });
  const grouped = Map.groupBy(held, ({ holders }) => holders.map(budgetName).join(' '));
  return [...grouped.values()].flatMap((group) => {
    const [first] = group;
    const all = group.map(({ pod }) => pod);
    return first ? [holdOf(first.eviction, first.holders, all, picture)] : [];
  });
}

/** Of these, what no waiting ends: two budgets over a pod, or one that needs as many pods as there are to be. */
export function holdsForGood(pods: readonly KubeObject[], budgets: readonly KubeObject[]): readonly Hold[] {
  return holdsOn(pods, budgets).filter(
    ({ kind, budgets: own }) => kind === 'broken' || (kind === 'refused' && own.every(needsAll)),
  );
}

function needsAll(budget: KubeObject): boolean {
  const needed = numberAt(budget, 'status', 'desiredHealthy') ?? 0;
  const expected = numberAt(budget, 'status', 'expectedPods') ?? 0;
  return expected > 0 && needed >= expected;
}

function holdersOf(eviction: Eviction): readonly KubeObject[] {
  switch (eviction.kind) {
    case 'free':
    case 'allowed':
      return [];
    case 'refused':
    case 'uncounted':
      return [eviction.budget];
    case 'broken':
      return eviction.budgets;
  }
}

function holdOf(
  eviction: Eviction,
  budgets: readonly KubeObject[],
  pods: readonly KubeObject[],
  picture: DrainPicture | undefined,
): Hold {
  const who = listed(pods.map(podWords));
  const names = listed(budgets.map(budgetName));
  switch (eviction.kind) {
    case 'broken':
      return {
        kind: 'broken',
        budgets,
        pods,
        message: `${names} ${budgets.length === 2 ? 'both' : 'all'} select ${who}, and the API server evicts no pod with more than one budget`,
      };
    case 'refused': {
      const reason = refusal(eviction, pods, picture);
      return {
        kind: 'refused',
        budgets,
        pods,
        ...reason,
        message: `${names} holds ${who} ${reason.message}`,
      };
    }
    default:
      return {
        kind: 'uncounted',
        budgets,
        pods,
        message: `${names} holds ${who} until the API server has counted its pods`,
      };
  }
}

type Reason = Pick<Hold, 'domain' | 'message'>;

function refusal(
  { budget, needs, has }: Extract<Eviction, { kind: 'refused' }>,
  pods: readonly KubeObject[],
  picture: DrainPicture | undefined,
): Reason {
  if (picture && isBlocking(budget)) return ownReason(pods, picture) ?? blockingReason(picture);
  if (picture && budget.metadata.name === DEFAULT_BUDGET) return defaultReason(picture);
  return { message: `because it needs ${needs} healthy pods and counts ${has}` };
}

/** A budget that holds a whole failure domain for the sake of another, ours or Rook's. */
export function isBlocking(budget: KubeObject): boolean {
  const isNamed = budget.metadata.name.startsWith(`${DEFAULT_BUDGET}-`);
  return isNamed && numberAt(budget, 'spec', 'maxUnavailable') === 0;
}

/** Why even OSDs of the domain that drains have to stay. */
function ownReason(
  pods: readonly KubeObject[],
  { osds, draining, groups }: DrainPicture,
): Reason | undefined {
  const ids = new Set(pods.map(({ metadata }) => Number(metadata.labels?.[OSD_ID])));
  const isOwn = osds.some(({ id, domain }) => ids.has(id) && domain === draining);
  if (!draining || !isOwn) return undefined;
  const trouble = downWords(osds) ?? 'copies are missing';
  return {
    message: `because data might not be served with fewer OSDs while ${trouble} (${groupWords(groups)})`,
  };
}

function blockingReason({ type, osds, draining, groups }: DrainPicture): Reason {
  const state = groupWords(groups);
  if (draining === undefined)
    return { message: `because an OSD of another ${type} is or was down (${state})` };
  const isDown = osds.some((osd) => osd.isDown && osd.domain === draining);
  if (draining === '' && !isDown) return { message: `because copies are missing (${state})` };
  const isBack = isDown ? 'drains' : 'is back and its copies are not';
  return { domain: draining, message: `because ${domainWords(type, draining)} ${isBack} (${state})` };
}

function defaultReason({ osds, groups }: DrainPicture): Reason {
  const others = downWords(osds) ?? 'another one is not ready';
  return { message: `because one OSD may be missing at a time, and ${others} (${groupWords(groups)})` };
}

/** `osd.0 and osd.1 are down`. */
function downWords(osds: readonly OsdFacts[]): string | undefined {
  const down = osds.filter(({ isDown }) => isDown).map(({ id }) => `osd.${id}`);
  return down.length > 0 ? `${listed(down)} ${down.length === 1 ? 'is' : 'are'} down` : undefined;
}

function budgetName({ metadata: { namespace = '', name } }: KubeObject): string {
  return name.startsWith('rook-ceph-') ? name : `${namespace}/${name}`;
}
