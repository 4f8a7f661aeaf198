import { listAt, numberAt, textAt, type KubeObject } from '#pkg/object';

export interface Condition {
  readonly type: 'Ready' | 'Synced';
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
}

/** Conditions as a status has them: the time of a change is kept while nothing changes. */
export function conditionsFor(
  object: KubeObject,
  conditions: readonly Condition[],
  now: number,
): readonly object[] {
  const generation = numberAt(object, 'metadata', 'generation') ?? 0;
  return conditions.map(({ type, isTrue, reason, message }) => {
    const old = conditionIn(object, type);
    const status = isTrue ? 'True' : 'False';
    const kept = textAt(old, 'status') === status ? textAt(old, 'lastTransitionTime') : undefined;
    return {
      type,
      status,
      reason,
      message,
      lastTransitionTime: kept ?? new Date(now).toISOString(),
      observedGeneration: generation,
    };
  });
}

export function conditionIn(object: KubeObject, type: string): unknown {
  return listAt(object, 'status', 'conditions').find((condition) => textAt(condition, 'type') === type);
}
