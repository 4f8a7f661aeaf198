import { cutToBytes, fieldAt, listAt, numberAt, textAt } from '#pkg/object';
import { isExpired, isPatient, type Attempt } from '#pkg/protection';
import type { CriticalService } from './critical-service.ts';
import { summaryOf, type Standing } from './criteria.ts';
import { nameOf } from './resources.ts';

export type ReadyReason =
  | 'Protected'
  | 'ProviderNotFound'
  | 'ProviderTerminating'
  | 'UnknownResource'
  | 'Forbidden'
  | 'WaitingForProvider';

/** How a repeated deletion fared that could not be carried out. */
export interface ReplayFinding {
  readonly reason: 'Forbidden' | 'NotAllowed' | 'Refused';
  readonly message: string;
}

/** What a reconcile found out about a service. */
export interface Finding {
  readonly reason: ReadyReason;
  readonly message: string;
  readonly provider?: { readonly kind: string; readonly uid: string } | undefined;
  readonly standings: readonly Standing[];
  readonly replay?: ReplayFinding | undefined;
}

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

const STATES = { met: 'True', unmet: 'False', unknown: 'Unknown' } as const;
/** What the schema takes: with one text that is too long, nothing of the status would be written. */
const CRITERION_BYTES = 4_096;
const CONDITION_BYTES = 32_768;
const REASONS = { met: 'AllCriteriaMet', unmet: 'CriteriaNotMet', unknown: 'NotChecked' } as const;

/** The status to write, or undefined when it is there already: at rest nothing is written. */
export function statusPatch(
  service: CriticalService,
  finding: Finding,
  now: number,
): Record<string, unknown> | undefined {
  const wanted = {
    details: nameOf(service.provider),
    provider: providerStatus(service, finding),
    criteria: finding.standings.map(criterionStatus),
    conditions: conditionsOf(finding).map((condition) => dated(condition, service, now)),
  };
  const attempts = attemptsToDrop(service, now);
  const before = fieldAt(service.object, 'status');
  const isSame = Object.entries(wanted).every(
    ([name, value]) => stable(fieldAt(before, name) ?? null) === stable(value),
  );
  if (isSame && !attempts) return undefined;
  return attempts ? { ...wanted, attempts } : wanted;
}

/** Who turns replays off and on again does not mean what was asked for long ago. */
function attemptsToDrop(
  { replayDeletion, attempts }: CriticalService,
  now: number,
): readonly Attempt[] | undefined {
  const kept = attempts.filter(
    (attempt) => isPatient(attempt.user) || (replayDeletion && !isExpired(attempt, now)),
  );
  return kept.length < attempts.length ? kept : undefined;
}

function providerStatus(
  service: CriticalService,
  { provider }: Finding,
): Record<string, string | null> | null {
  const { seenUid } = service;
  if (!provider) return seenUid ? { kind: null, uid: null, adoptedFrom: null, lastUid: seenUid } : null;
  const isAdopted = seenUid !== undefined && seenUid !== provider.uid;
  const from = isAdopted ? seenUid : textAt(service.object, 'status', 'provider', 'adoptedFrom');
  return { ...provider, lastUid: null, ...(from ? { adoptedFrom: from } : {}) };
}

function criterionStatus({ state, count, examples, message }: Standing): Record<string, unknown> {
  return {
    satisfied: STATES[state],
    ...(count === undefined ? {} : { count }),
    ...(examples.length > 0 ? { examples } : {}),
    message: cutToBytes(message, CRITERION_BYTES),
  };
}

function conditionsOf({ reason, message, standings, replay }: Finding): readonly Condition[] {
  const summary = summaryOf(standings);
  const open = standings.filter(({ state }) => state !== 'met').map((standing) => standing.message);
  return [
    { type: 'Ready', status: reason === 'Protected' ? 'True' : 'False', reason, message },
    { type: 'Satisfied', status: STATES[summary], reason: REASONS[summary], message: open.join('; ') },
    ...(replay ? [{ type: 'Replayed', status: 'False', ...replay } as const] : []),
  ];
}

function dated(condition: Condition, { object }: CriticalService, now: number): Record<string, unknown> {
  const old = listAt(object, 'status', 'conditions').find((one) => textAt(one, 'type') === condition.type);
  const isOld = textAt(old, 'status') === condition.status;
  const lastTransitionTime = isOld ? textAt(old, 'lastTransitionTime') : new Date(now).toISOString();
  const observedGeneration = numberAt(object, 'metadata', 'generation') ?? 0;
  const message = cutToBytes(condition.message, CONDITION_BYTES);
  return { ...condition, message, lastTransitionTime, observedGeneration };
}

/** Order of keys is the server's; and what is null in a patch is not there. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(
          Object.entries(part)
            .filter(([, value]) => value !== null)
            .toSorted(([a], [b]) => (a < b ? -1 : 1)),
        )
      : part,
  );
}
