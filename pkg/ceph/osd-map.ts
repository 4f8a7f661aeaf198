import { fieldAt, isRecord, recordAt, textAt } from '#pkg/object';
import { requiredList, requiredNumber, requiredText, requiredTexts } from './answers.ts';

export interface Osd {
  readonly id: number;
  readonly isUp: boolean;
  readonly isIn: boolean;
  /** Flags on this OSD alone, `noout` among them. */
  readonly state: readonly string[];
}

export interface CephPool {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly minSize: number;
  readonly crushRule: number;
  readonly isErasureCoded: boolean;
}

/** `ceph osd dump`: who is up, which pools there are, which flags are set. */
export interface OsdMap {
  readonly epoch: number;
  /** Changes with the hierarchy and its rules. */
  readonly crushVersion: number;
  readonly osds: readonly Osd[];
  readonly pools: readonly CephPool[];
  /** Flags of the whole cluster. */
  readonly flags: readonly string[];
  /** Flags by CRUSH bucket. */
  readonly bucketFlags: ReadonlyMap<string, readonly string[]>;
}

const ERASURE_CODED = 3;

export function parseOsdMap(answer: unknown): OsdMap {
  return {
    epoch: requiredNumber(answer, 'epoch'),
    crushVersion: requiredNumber(answer, 'crush_version'),
    osds: requiredList(answer, 'osds').map(parseOsd),
    pools: requiredList(answer, 'pools').map(parsePool),
    flags: parseFlags(answer),
    bucketFlags: new Map(
      Object.entries(recordAt(answer, 'crush_node_flags')).map(([bucket, flags]) => [
        bucket,
        requiredTexts(flags),
      ]),
    ),
  };
}

function parseOsd(osd: unknown): Osd {
  return {
    id: requiredNumber(osd, 'osd'),
    isUp: requiredNumber(osd, 'up') === 1,
    isIn: requiredNumber(osd, 'in') === 1,
    state: requiredTexts(osd, 'state'),
  };
}

function parsePool(pool: unknown): CephPool {
  return {
    id: requiredNumber(pool, 'pool'),
    name: requiredText(pool, 'pool_name'),
    size: requiredNumber(pool, 'size'),
    minSize: requiredNumber(pool, 'min_size'),
    crushRule: requiredNumber(pool, 'crush_rule'),
    isErasureCoded: requiredNumber(pool, 'type') === ERASURE_CODED,
  };
}

function parseFlags(answer: unknown): readonly string[] {
  const list = fieldAt(answer, 'flags_set');
  return Array.isArray(list) ? requiredTexts(list) : requiredText(answer, 'flags').split(',');
}

/** `ceph osd metadata`: the node that each OSD last started on. OSDs that never started have none. */
export function parseOsdNodes(answer: unknown): ReadonlyMap<number, string> {
  return new Map(
    requiredList(answer).flatMap((osd) => {
      const node = textAt(osd, 'hostname');
      return isRecord(osd) && node ? [[requiredNumber(osd, 'id'), node] as const] : [];
    }),
  );
}
