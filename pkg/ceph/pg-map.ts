import { isTrueAt } from '#pkg/object';
import { requiredList, requiredNumber, requiredNumbers, requiredText } from './answers.ts';
import type { CephPool } from './osd-map.ts';
import { CephUnreadable } from './runner.ts';

/** A placement group: a share of a pool, and the OSDs that serve it. */
export interface PlacementGroup {
  readonly id: string;
  readonly pool: number;
  /** As Ceph writes it: `active+undersized+degraded`. */
  readonly state: string;
  readonly acting: readonly number[];
}

/** In an erasure-coded group, a place that no OSD holds. */
const NOBODY = 2_147_483_647;

/** What the manager knows at one moment. */
export interface PgMap {
  readonly groups: readonly PlacementGroup[];
  /** By OSD, the number of its last report. */
  readonly reports: ReadonlyMap<number, number>;
}

/** `ceph pg dump pgs_brief osds`. */
export function parsePgMap(answer: unknown): PgMap {
  // The manager has not heard of all groups yet: then what it has is not all there is.
  if (!isTrueAt(answer, 'pg_ready')) {
    throw new CephUnreadable('the manager does not know the placement groups yet');
  }
  return {
    groups: requiredList(answer, 'pg_stats').map(parseGroup),
    reports: new Map(
      requiredList(answer, 'osd_stats').map((osd) => [
        requiredNumber(osd, 'osd'),
        requiredNumber(osd, 'seq'),
      ]),
    ),
  };
}

function parseGroup(pg: unknown): PlacementGroup {
  const id = requiredText(pg, 'pgid');
  return {
    id,
    pool: Number.parseInt(id, 10),
    state: requiredText(pg, 'state'),
    acting: requiredNumbers(pg, 'acting').filter((osd) => osd !== NOBODY),
  };
}

/** What would become of the placement groups without some OSDs. */
export interface StopForecast {
  readonly isSafe: boolean;
  /** They would serve no more, or do not now. */
  readonly wouldStop: readonly string[];
  /** They would lack a copy. */
  readonly wouldDegrade: readonly string[];
  /** Of these, those of which one copy would be left. */
  readonly lastCopy: readonly string[];
  /** Nobody knows their state. */
  readonly unknown: readonly string[];
}

/**
 * Whether all data stays available without these OSDs, from the groups themselves: Ceph's own `ok-to-stop` looks at
 * the wrong ones in some releases, and then says yes to everything.
 */
export function forecastStop(
  osds: readonly number[],
  groups: readonly PlacementGroup[],
  pools: readonly CephPool[],
): StopForecast {
  const leaving = new Set(osds);
  const known = new Map(pools.map((pool) => [pool.id, pool]));
  const wouldStop: string[] = [];
  const wouldDegrade: string[] = [];
  const lastCopy: string[] = [];
  const unknown: string[] = [];
  for (const { id, pool, state, acting } of groups) {
    const words = state.split('+');
    const { minSize, isErasureCoded } = known.get(pool) ?? {};
    const left = acting.filter((osd) => !leaving.has(osd));
    const isTouched = left.length < acting.length;
    if (minSize === undefined || words.includes('unknown') || words.includes('stale')) unknown.push(id);
    else if (isTouched && (!words.includes('active') || left.length < minSize)) wouldStop.push(id);
    else if (isTouched) {
      wouldDegrade.push(id);
      // What is left of an erasure-coded group is no copy.
      if (left.length === 1 && !isErasureCoded) lastCopy.push(id);
    }
  }
  return { isSafe: wouldStop.length + unknown.length === 0, wouldStop, wouldDegrade, lastCopy, unknown };
}
