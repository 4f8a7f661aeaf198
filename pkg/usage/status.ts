import { numberAt, textAt, type KubeObject } from '#pkg/object';
import { details } from './denial.ts';
import { readyCondition, type Usage } from './usage.ts';

export type ReadyReason =
  | 'Available'
  | 'UsedNotFound'
  | 'UsingNotFound'
  | 'SelectorUnresolved'
  | 'AlreadyTerminating'
  | 'Forbidden'
  | 'UnknownKind'
  | 'WaitingForUsing'
  | 'Released';

/** What a reconcile found out about a usage. */
export interface Finding {
  readonly reason: ReadyReason;
  readonly message: string;
  /** The used object, if it was seen. */
  readonly used?: KubeObject | undefined;
  readonly usingUid?: string | undefined;
}

/** The status to write, or undefined when it is there already: at rest nothing is written. */
export function statusPatch(
  usage: Usage,
  finding: Finding,
  now: number,
): Record<string, unknown> | undefined {
  const status = finding.reason === 'Available' ? 'True' : 'False';
  const usedUid = finding.used?.metadata.uid ?? usage.usedUid;
  const usedNamespace = finding.used ? finding.used.metadata.namespace : usage.usedNamespace;
  const usingUid = finding.usingUid ?? usage.usingUid;
  const text = details(usage);
  const generation = numberAt(usage.object, 'metadata', 'generation') ?? 0;
  const old = readyCondition(usage.object);
  const isSame =
    textAt(old, 'status') === status &&
    textAt(old, 'reason') === finding.reason &&
    textAt(old, 'message') === (finding.message || undefined) &&
    numberAt(old, 'observedGeneration') === generation &&
    textAt(usage.object, 'status', 'details') === text &&
    usage.usedUid === usedUid &&
    usage.usedNamespace === usedNamespace &&
    usage.usingUid === usingUid;
  if (isSame) return undefined;
  const lastTransitionTime =
    textAt(old, 'status') === status ? textAt(old, 'lastTransitionTime') : new Date(now).toISOString();
  const { reason, message } = finding;
  return {
    details: text,
    ...(usedUid ? { of: { uid: usedUid, namespace: usedNamespace } } : {}),
    ...(usingUid ? { by: { uid: usingUid } } : {}),
    conditions: [
      { type: 'Ready', status, reason, message, lastTransitionTime, observedGeneration: generation },
    ],
  };
}
