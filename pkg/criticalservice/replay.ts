import type { Clock } from '#pkg/clock';
import { isForbidden, type KubeObject, type ObjectRef } from '#pkg/object';
import { attemptToRepeat, repeatDeletion, type RepeatPorts } from '#pkg/protection';
import type { CriticalService } from './critical-service.ts';
import { whyNot } from './live-criteria.ts';
import type { ReplayFinding } from './status.ts';

export interface ReplayPorts extends RepeatPorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  readonly clock: Clock;
}

/** An object whose deletion may be due, and the resource it is granted by. */
export interface Due {
  readonly ref: ObjectRef;
  readonly resource: string;
}

/**
 * Carries out refused deletions that are due. They go through the webhook like any other, so whoever else objects is
 * heard. Returns what stands in the way of one, if anything does.
 */
export async function replay(
  service: CriticalService,
  due: readonly Due[],
  ports: ReplayPorts,
  signal: AbortSignal,
): Promise<ReplayFinding | undefined> {
  let finding: ReplayFinding | undefined;
  for (const one of due) finding = (await replayOne(service, one, ports, signal)) ?? finding;
  return finding;
}

async function replayOne(
  service: CriticalService,
  { ref, resource }: Due,
  ports: ReplayPorts,
  signal: AbortSignal,
): Promise<ReplayFinding | undefined> {
  if (service.attempts.length === 0) return undefined;
  const object = await ports.get(ref, signal);
  if (!object || object.metadata.deletionTimestamp !== undefined) return undefined;
  const attempt = attemptToRepeat(object, service.attempts, service.replayDeletion, ports.clock.now());
  if (!attempt) return undefined;
  const what = `${ref.kind} "${ref.name}"`;
  try {
    switch (await repeatDeletion(ref, object, attempt, ports, signal)) {
      case 'not-allowed':
        return { reason: 'NotAllowed', message: `${attempt.user.username} may not delete ${what} any more` };
      case 'refused':
        return { reason: 'Refused', message: `the deletion of ${what} is still refused` };
      default:
        return undefined;
    }
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { reason: 'Forbidden', message: whyNot(error, resource) };
  }
}
