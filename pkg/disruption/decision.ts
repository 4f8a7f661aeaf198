import type { OsdFacts } from '#pkg/drain';
import type { Cleanliness } from './cleanliness.ts';

/** Which OSDs may go next. */
export type Protection =
  | {
      /** Any one OSD; those that are dead already do not count. */
      readonly kind: 'default';
      readonly excluded: readonly number[];
    }
  | {
      /** None but those of one failure domain; where it has no name, none but those of no known place that are down. */
      readonly kind: 'blocking';
      readonly draining: string;
      /** Its node is drained, so its OSDs will be back: data need not move. */
      readonly isPlanned: boolean;
      /** Why even its OSDs that are up must stay, if they must. */
      readonly stay?: string;
    };

export interface Situation {
  readonly osds: readonly OsdFacts[];
  readonly cleanliness: Cleanliness;
  /** The domain that was draining until now. */
  readonly draining: string | undefined;
}

/**
 * The heart of it. As long as every copy is there, one OSD may go, wherever it is. Once one has gone and copies are
 * missing, only its own domain may go on; and that lasts until all copies are back, or have been made elsewhere.
 */
export function decide({ osds, cleanliness, draining }: Situation): Protection {
  const down = osds.filter(({ isDown }) => isDown);
  if (cleanliness === 'clean' || cleanliness === 'replaced') {
    return { kind: 'default', excluded: down.filter(({ isGone }) => !isGone).map(({ id }) => id) };
  }
  if (down.length === 0) {
    const held = heldFor(cleanliness, draining);
    return held === undefined
      ? { kind: 'default', excluded: [] }
      : { kind: 'blocking', draining: held, isPlanned: false };
  }
  const chosen = drainingDomain(down, draining);
  const isPlanned = down.some(({ domain, isDrained }) => isDrained && domain === chosen);
  return { kind: 'blocking', draining: chosen, isPlanned };
}

/**
 * All OSDs are there. A domain that drained stays the only one that may go until all is clean. Where copies are missing for
 * no known reason none may go, until they are there: data that only moves may move for days.
 */
function heldFor(cleanliness: Cleanliness, draining: string | undefined): string | undefined {
  if (draining) return draining;
  if (cleanliness === 'unclean') return '';
  return cleanliness === 'unknown' ? draining : undefined;
}

/**
 * The one that was draining, while it is down; else one that is drained; else one that is down. The first by name. OSDs of
 * no known place are no domain together: none is freed for the sake of another, and their name is empty.
 */
function drainingDomain(down: readonly OsdFacts[], before: string | undefined): string {
  const drained = domainsOf(down.filter(({ isDrained }) => isDrained));
  const all = domainsOf(down);
  const candidates = (drained.length > 0 ? drained : all).filter((domain) => domain !== '');
  if (before !== undefined && candidates.includes(before)) return before;
  return candidates[0] ?? '';
}

function domainsOf(osds: readonly OsdFacts[]): readonly string[] {
  return [...new Set(osds.map(({ domain }) => domain))].sort();
}
