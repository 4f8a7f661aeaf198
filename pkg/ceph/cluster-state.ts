import { fieldAt, isTrueAt, listAt, recordAt } from '#pkg/object';
import { requiredList, requiredNumber, requiredNumbers, requiredText, requiredTexts } from './answers.ts';

/** `ceph status`, without what it says of placement groups: that may be seconds old, or frozen. */
export interface ClusterStatus {
  readonly fsid: string;
  /** `HEALTH_OK` does not mean that all OSDs are up. */
  readonly health: string;
  readonly checks: readonly string[];
  readonly osds: { readonly total: number; readonly up: number; readonly in: number };
  readonly hasManager: boolean;
  /** The metadata servers that serve; those that stand by have no rank. */
  readonly ranks: readonly MdsRank[];
}

export interface MdsRank {
  readonly name: string;
  readonly rank: number;
  /** `up:active`. */
  readonly state: string;
}

export function parseStatus(answer: unknown): ClusterStatus {
  return {
    fsid: requiredText(answer, 'fsid'),
    health: requiredText(answer, 'health', 'status'),
    checks: Object.keys(recordAt(answer, 'health', 'checks')),
    osds: {
      total: requiredNumber(answer, 'osdmap', 'num_osds'),
      up: requiredNumber(answer, 'osdmap', 'num_up_osds'),
      in: requiredNumber(answer, 'osdmap', 'num_in_osds'),
    },
    hasManager: isTrueAt(answer, 'mgrmap', 'available'),
    ranks: listAt(answer, 'fsmap', 'by_rank').map((mds) => ({
      name: requiredText(mds, 'name'),
      rank: requiredNumber(mds, 'rank'),
      state: requiredText(mds, 'status'),
    })),
  };
}

export interface Quorum {
  /** All monitors of the map. */
  readonly monitors: readonly string[];
  readonly inQuorum: readonly string[];
}

/** `ceph quorum_status`. */
export function parseQuorum(answer: unknown): Quorum {
  return {
    monitors: requiredList(answer, 'monmap', 'mons').map((mon) => requiredText(mon, 'name')),
    inQuorum: requiredTexts(answer, 'quorum_names'),
  };
}

/** Ceph's own opinion on stopping OSDs: a second one, see `forecastStop`. */
export interface StopOpinion {
  readonly isOk: boolean;
  readonly osds: readonly number[];
  readonly notOk: number;
}

/** Ceph's opinion on stopping daemons that keep no data, in its own words. */
export interface ServiceOpinion {
  readonly isOk: boolean;
  readonly words: string;
}

/** `ceph osd ok-to-stop`. */
export function parseStopOpinion(answer: unknown): StopOpinion {
  const notOk = fieldAt(answer, 'num_not_ok_pgs');
  return {
    isOk: isTrueAt(answer, 'ok_to_stop'),
    osds: requiredNumbers(answer, 'osds'),
    notOk: typeof notOk === 'number' ? notOk : 0,
  };
}
