import type { Health, OsdFacts } from '#pkg/drain';

/**
 * What Ceph says of its placement groups: all are clean; all copies are there, if not where they should be; copies are
 * missing; or nothing, when it does not answer.
 */
export type Cleanliness = 'clean' | 'misplaced' | 'unclean' | 'unknown';

/** Groups that look clean while Ceph still counts on an OSD that Kubernetes has taken away are about to lose it. */
export function cleanliness(osds: readonly OsdFacts[], health: Health | undefined): Cleanliness {
  if (!health) return 'unknown';
  const up = new Set(health.osdMap.osds.filter(({ isUp }) => isUp).map(({ id }) => id));
  if (osds.some(({ id, isDown }) => isDown && up.has(id))) return 'unclean';
  if (health.isClean) return 'clean';
  return health.groups.every(({ state }) => hasAllCopies(state)) ? 'misplaced' : 'unclean';
}

/** As while data moves to a new OSD. */
function hasAllCopies(state: string): boolean {
  const words = state.split('+');
  return words.includes('active') && !words.includes('undersized') && !words.includes('degraded');
}
