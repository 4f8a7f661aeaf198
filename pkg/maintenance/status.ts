import { isRecord, isTrueAt, listAt, numberAt, textAt } from '#pkg/object';

/**
 * `Pending`: something is in the way, and nothing has been changed. `Running`: cordon and noout are being set. `Ready`: safe
 * to power off. `Succeeded`: all that was asked for is done, and that was not a drain. `Expired`: its time is over, noout is
 * off. `Failed`: the node is gone. `Recovering`: it has been stopped, and things come back. Running, Succeeded and Failed
 * mean what they mean to other node maintenance operators.
 */
export const PHASES = [
  'Pending',
  'Running',
  'Draining',
  'Ready',
  'Succeeded',
  'Expired',
  'Failed',
  'Recovering',
] as const;
export type Phase = (typeof PHASES)[number];

/** A change of ours: written down before it is made, after it was made, and when it is undone. */
export type ChangeState = 'setting' | 'set' | 'off';

/** noout on single OSDs of a cluster, by us. */
export interface NooutChange {
  /** `namespace/name` of the CephCluster. */
  readonly cluster: string;
  readonly osds: readonly number[];
  readonly state: ChangeState;
}

/** The OSDs of a cluster that were on the node when it began. */
export interface ClusterOsds {
  readonly cluster: string;
  readonly osds: readonly number[];
  readonly down: readonly number[];
}

/** How things were before we changed any. */
export interface Prior {
  readonly recordedAt: string;
  readonly nodeUid: string;
  readonly cordoned: boolean;
  /** OSDs that had noout from somebody else. */
  readonly noout: readonly Omit<NooutChange, 'state'>[];
  /** The UIDs of pods that tolerate the cordon: those that came after these came back. */
  readonly tolerating: readonly string[];
}

export interface DrainProgress {
  /** Pods that had to go when it began. */
  readonly total: number;
  readonly pending: number;
  /** The first of those, as `namespace/name`. */
  readonly pods: readonly string[];
}

/** What holds it up. */
export interface Obstacle {
  /** One word for programs, as `DisruptionBudget` or `CephSilent`. */
  readonly reason: string;
  readonly message: string;
  /** The pods that are held, as `namespace/name`, where that is the trouble. */
  readonly pods?: readonly string[];
}

/** All that must survive us, and what people want to know. */
export interface Status {
  readonly phase: Phase;
  readonly message: string;
  /** Absent until something is about to be changed. */
  readonly prior?: Prior | undefined;
  readonly cordon?: ChangeState | undefined;
  readonly noout: readonly NooutChange[];
  readonly clusters: readonly ClusterOsds[];
  /** The states of placement groups when they were last asked for. */
  readonly groups?: string | undefined;
  readonly drain?: DrainProgress | undefined;
  readonly blockedBy: readonly Obstacle[];
  readonly expiresAt?: string | undefined;
  readonly recoveringSince?: string | undefined;
  readonly lastError?: string | undefined;
}

export const NEW_STATUS: Status = { phase: 'Pending', message: '', noout: [], clusters: [], blockedBy: [] };

/** What somebody has broken reads as absent. */
export function parseStatus(value: unknown): Status {
  const phase = PHASES.find((known) => known === textAt(value, 'phase')) ?? 'Pending';
  return {
    phase,
    message: textAt(value, 'message') ?? '',
    prior: parsePrior(value),
    cordon: parseState(textAt(value, 'cordon')),
    noout: listAt(value, 'noout').map((one) => ({
      ...parseOsds(one),
      state: parseState(textAt(one, 'state')) ?? 'setting',
    })),
    clusters: listAt(value, 'clusters').map((one) => ({ ...parseOsds(one), down: numbersAt(one, 'down') })),
    groups: textAt(value, 'groups'),
    drain: parseDrain(value),
    blockedBy: listAt(value, 'blockedBy').map((one) => ({
      reason: textAt(one, 'reason') ?? '',
      message: textAt(one, 'message') ?? '',
      ...(listAt(one, 'pods').length > 0 ? { pods: textsAt(one, 'pods') } : {}),
    })),
    expiresAt: textAt(value, 'expiresAt'),
    recoveringSince: textAt(value, 'recoveringSince'),
    lastError: textAt(value, 'lastError'),
  };
}

function parsePrior(value: unknown): Prior | undefined {
  const recordedAt = textAt(value, 'prior', 'recordedAt');
  if (recordedAt === undefined) return undefined;
  return {
    recordedAt,
    nodeUid: textAt(value, 'prior', 'nodeUid') ?? '',
    cordoned: isTrueAt(value, 'prior', 'cordoned'),
    noout: listAt(value, 'prior', 'noout').map(parseOsds),
    tolerating: textsAt(value, 'prior', 'tolerating'),
  };
}

function parseDrain(value: unknown): DrainProgress | undefined {
  const total = numberAt(value, 'drain', 'total');
  if (total === undefined) return undefined;
  return { total, pending: numberAt(value, 'drain', 'pending') ?? 0, pods: textsAt(value, 'drain', 'pods') };
}

function parseOsds(value: unknown): { readonly cluster: string; readonly osds: readonly number[] } {
  return { cluster: textAt(value, 'cluster') ?? '', osds: numbersAt(value, 'osds') };
}

function parseState(text: string | undefined): ChangeState | undefined {
  return text === 'setting' || text === 'set' || text === 'off' ? text : undefined;
}

function textsAt(value: unknown, ...path: readonly string[]): readonly string[] {
  return listAt(value, ...path).filter((one) => typeof one === 'string');
}

function numbersAt(value: unknown, name: string): readonly number[] {
  return listAt(value, name).filter((one) => typeof one === 'number');
}

/** Whether both say the same, whatever the order of fields. */
export function sameStatus(a: unknown, b: unknown): boolean {
  return ordered(a) === ordered(b);
}

function ordered(value: unknown): string {
  return JSON.stringify(value, (_name, field: unknown) =>
    isRecord(field)
      ? Object.fromEntries(Object.entries(field).toSorted(([m], [n]) => (m < n ? -1 : 1)))
      : field,
  );
}
