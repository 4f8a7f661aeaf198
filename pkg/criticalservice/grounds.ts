import type { KubeObject, ObjectRef } from '#pkg/object';
import { parseCriticalService, type CriticalService } from './critical-service.ts';
import type { Standing } from './criteria.ts';

/** An object that a refusal rests on. */
export interface Ground {
  readonly ref: ObjectRef;
  /** Whether it is still what it was taken for. */
  holds(object: KubeObject): boolean;
}

export const existing = (ref: ObjectRef): Ground => ({ ref, holds: () => true });

/** That the service itself still wants this. */
export function wanted({ object, ref }: CriticalService): Ground {
  const { uid, generation } = object.metadata;
  return {
    ref,
    holds: (now) =>
      now.metadata.uid === uid &&
      now.metadata.generation === generation &&
      !parseCriticalService(now).isReleased,
  };
}

/** That an object is in the way of a criterion. */
export function inTheWay({ criterion, first }: Standing): Ground | undefined {
  if (!first || criterion.type !== 'Finalizer') return first && existing(first);
  const { finalizerName } = criterion;
  return { ref: first, holds: ({ metadata }) => metadata.finalizers?.includes(finalizerName) === true };
}

/**
 * Whoever deletes one thing after another is faster than a watch: what is gone is no reason to refuse. Who cannot ask does not
 * know.
 */
export async function doHold(
  grounds: readonly Ground[],
  get: (ref: ObjectRef, signal: AbortSignal) => Promise<KubeObject | undefined>,
  signal: AbortSignal,
): Promise<boolean> {
  const answers = await Promise.all(
    grounds.map(async ({ ref, holds }) => {
      const object = await get(ref, signal).catch(() => undefined);
      return object !== undefined && holds(object);
    }),
  );
  signal.throwIfAborted();
  return answers.every(Boolean);
}
