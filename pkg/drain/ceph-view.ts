import {
  isCephFailure,
  isClean,
  settledGroups,
  statesOf,
  type Ceph,
  type OsdMap,
  type PlacementGroup,
} from '#pkg/ceph';
import type { Clock } from '#pkg/clock';
import { crushDomains } from './crush-domains.ts';
import { enforcedDomain } from './failure-domain.ts';

/** What Ceph says, as far as it was asked. */
export interface CephView {
  readonly osdMap: OsdMap;
  readonly layout: CrushLayout;
}

/** What follows from the hierarchy and its rules, which seldom change. */
export interface CrushLayout {
  /** The version it was read at, and the rules that pools used then. */
  readonly key: string;
  /** The failure domain that the rules of all pools enforce. */
  readonly type: string;
  /** The names of all buckets. */
  readonly buckets: ReadonlySet<string>;
  /** The bucket of the type that each OSD is in, as far as it is in one alone. */
  readonly domains: ReadonlyMap<number, string>;
}

/** Undefined when Ceph does not answer, and then `onSilence` hears why. */
export async function viewCeph(
  ceph: Ceph,
  known: CrushLayout | undefined,
  onSilence: (error: Error) => void,
  signal: AbortSignal,
): Promise<CephView | undefined> {
  return orSilence(onSilence, async () => {
    const osdMap = await ceph.osdMap(signal);
    const key = `${osdMap.crushVersion} ${osdMap.pools.map(({ crushRule }) => crushRule).join()}`;
    return { osdMap, layout: known?.key === key ? known : await readLayout(ceph, osdMap, key, signal) };
  });
}

async function readLayout(
  ceph: Ceph,
  { pools }: OsdMap,
  key: string,
  signal: AbortSignal,
): Promise<CrushLayout> {
  const [rules, tree] = await Promise.all([ceph.crushRules(signal), ceph.crushTree(signal)]);
  const type = enforcedDomain(pools, rules);
  const buckets = new Set(tree.nodes.map(({ name }) => name));
  return { key, type, buckets, domains: crushDomains(type, tree) };
}

/** How the placement groups are, each OSD having just reported. */
export interface Health {
  readonly isClean: boolean;
  readonly osdMap: OsdMap;
  readonly groups: readonly PlacementGroup[];
  /** For people: `5 active+clean, 3 active+undersized`. */
  readonly words: string;
}

export async function viewHealth(
  ceph: Ceph,
  healthy: RegExp | undefined,
  clock: Clock,
  onSilence: (error: Error) => void,
  signal: AbortSignal,
): Promise<Health | undefined> {
  return orSilence(onSilence, async () => {
    const { groups, osdMap } = await settledGroups(ceph, clock, signal);
    const words = [...statesOf(groups)].map(([state, count]) => `${count} ${state}`).join(', ');
    return { isClean: isClean(groups, healthy), osdMap, groups, words: words || 'no placement groups' };
  });
}

/** The answer to a question that can do without one. */
export async function orSilence<T>(
  onSilence: (error: Error) => void,
  ask: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!isCephFailure(error)) throw error;
    onSilence(error);
    return undefined;
  }
}
