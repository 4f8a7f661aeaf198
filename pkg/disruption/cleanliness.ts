import type { Health, OsdFacts } from '#pkg/drain';

/**
 * What Ceph says of its placement groups: all are clean; all copies are there, if not where they should be; that, and
 * nobody waits for the OSDs that are down; copies are missing; or nothing, when it does not answer.
 */
export type Cleanliness = 'clean' | 'misplaced' | 'replaced' | 'unclean' | 'unknown';

/** Groups that look clean while Ceph still counts on an OSD that Kubernetes has taken away are about to lose it. */
export function cleanliness(osds: readonly OsdFacts[], health: Health | undefined): Cleanliness {
  if (!health) return 'unknown';
  const up = new Set(health.osdMap.osds.filter(({ isUp }) => isUp).map(({ id }) => id));
  if (osds.some(({ id, isDown }) => isDown && up.has(id))) return 'unclean';
  if (health.isClean) return 'clean';
  if (!health.groups.every(({ state }) => hasAllCopies(state))) return 'unclean';
  return areReplaced(osds, health) ? 'replaced' : 'misplaced';
}

/** Ceph has given up those that are down, and no group counts on them: their copies have been made elsewhere. */
function areReplaced(osds: readonly OsdFacts[], { osdMap, groups }: Health): boolean {
  const down = new Set(osds.filter(({ isDown }) => isDown).map(({ id }) => id));
  const isWaitedFor = osdMap.osds.some(({ id, isIn }) => isIn && down.has(id));
  return down.size > 0 && !isWaitedFor && !groups.some(({ acting }) => acting.some((id) => down.has(id)));
}

/** What a group may be called that has all copies, if not where they should be. Any other word may mean that one is missing. */
const HARMLESS: ReadonlySet<string> = new Set(
  [
    'active clean remapped backfilling backfill_wait backfill_toofull forced_backfill premerge peered laggy wait',
    'scrubbing deep repair inconsistent failed_repair snaptrim snaptrim_wait snaptrim_error',
  ].flatMap((words) => words.split(' ')),
);

/**
 * As while data moves to a new OSD. A group that is being made holds nothing yet, and one that is about to become a part of
 * another is clean without being active.
 */
function hasAllCopies(state: string): boolean {
  const words = state.split('+');
  const isServed = words.includes('active') || words.includes('clean');
  return words.includes('creating') || (isServed && words.every((word) => HARMLESS.has(word)));
}
