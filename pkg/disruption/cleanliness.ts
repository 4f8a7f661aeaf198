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

/** As while data moves to a new OSD. */
function hasAllCopies(state: string): boolean {
  const words = state.split('+');
  return words.includes('active') && !words.includes('undersized') && !words.includes('degraded');
}
