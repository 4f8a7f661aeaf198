import { forecastStop, type PlacementGroup } from '#pkg/ceph';
import { groupWords, listed, type Health, type OsdFacts } from '#pkg/drain';
import { numberAt, type KubeObject } from '#pkg/object';
import type { BudgetOwner } from './budgets.ts';
import type { Protection } from './decision.ts';
import { selected } from './foreign.ts';
import { osdBudgetsIn, type Observation } from './observation.ts';

interface Situation {
  readonly osds: readonly OsdFacts[];
  readonly health: Health | undefined;
  /** The domain that was draining until now. */
  readonly before: string | undefined;
  /** What lies over its OSDs until now. */
  readonly cover: Cover;
}

/** Budgets that let none go, one that lets one go, or nothing. */
type Cover = 'held' | 'default' | 'none';

/**
 * A domain drains on only if the data outlives it: an OSD of another domain may be down as well, or a pool have no copy to
 * spare. What is held stays so while copies are missing of what it serves, for these may be of a domain that drained before.
 */
export function holdUnsafeDomain(
  protection: Protection,
  osds: readonly OsdFacts[],
  health: Health | undefined,
  seen: Pick<Observation, 'state' | 'budgets' | 'deployments'>,
  owner: BudgetOwner,
): Protection {
  if (protection.kind === 'default' || protection.draining === '') return protection;
  const { draining } = protection;
  const isOfIt = ({ domain, isDown, isGone }: OsdFacts): boolean => domain === draining && !isDown && !isGone;
  const live = osds.filter(isOfIt).map(({ id }) => id);
  if (live.length === 0) return protection;
  const cover = coverOf(live, osdBudgetsIn(seen.budgets, owner), seen.deployments);
  const stay = reasonToStay(live, draining, { osds, health, before: seen.state.draining, cover });
  return stay === undefined ? protection : { ...protection, stay };
}

function reasonToStay(live: readonly number[], draining: string, situation: Situation): string | undefined {
  const { osds, health, before, cover } = situation;
  if (!health) {
    // Silence gives nothing back, and takes nothing away from a drain that was safe and has no other beside it.
    const isAlone = osds.every(({ isDown, domain }) => !isDown || domain === draining);
    return cover === 'none' && before === draining && isAlone ? undefined : groupWords(undefined);
  }
  const own = health.groups.filter(({ acting }) => isOrMayBeOf(acting, live));
  const down = osds.filter(({ isDown }) => isDown).map(({ id }) => id);
  const { wouldStop, unknown } = forecastStop([...live, ...down], own, health.osdMap.pools);
  const names = listed(live.map((id) => `osd.${id}`));
  // With all OSDs there, groups that are not served are about to be: they find each other anew.
  const isTaken = down.length > 0 || cover === 'held';
  if (isTaken && wouldStop.length > 0) return `${count(wouldStop)} would not be served without ${names}`;
  if (isTaken && unknown.length > 0) return `nobody knows how ${count(unknown)} would be without ${names}`;
  const lacking = cover === 'held' ? own.filter(lacksCopies) : [];
  return lacking.length > 0 ? `copies are missing of ${count(lacking)} on ${names}` : undefined;
}

/** A group that nobody has heard of may be anywhere. */
function isOrMayBeOf(acting: readonly number[], live: readonly number[]): boolean {
  return acting.length === 0 || acting.some((id) => live.includes(id));
}

function lacksCopies({ state }: PlacementGroup): boolean {
  const words = state.split('+');
  return !words.includes('active') || words.includes('degraded') || words.includes('undersized');
}

function count(groups: readonly unknown[]): string {
  return `${groups.length} placement group${groups.length === 1 ? '' : 's'}`;
}

function coverOf(
  live: readonly number[],
  budgets: readonly KubeObject[],
  deployments: readonly KubeObject[],
): Cover {
  const over = budgets.filter((budget) => selected(budget, deployments).some((id) => live.includes(id)));
  if (over.some((budget) => numberAt(budget, 'spec', 'maxUnavailable') === 0)) return 'held';
  return over.length > 0 ? 'default' : 'none';
}
