import { isConflict, type KubeObject, type ObjectRef, type Writer } from '#pkg/object';
import { isPatient, withAttempt, type Attempt } from '#pkg/protection';
import { parseUsage, type Usage } from './usage.ts';

export interface AttemptPorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  readonly writer: Pick<Writer, 'patch'>;
}

/**
 * Keeps a refused deletion with the usages that refused it, once for each who asked. All must want it to be repeated:
 * else it would depend on chance who is released last.
 */
export async function recordAttempts(
  usages: readonly Usage[],
  attempt: Attempt,
  ports: AttemptPorts,
  signal: AbortSignal,
): Promise<void> {
  const isVetoedFor = (usage: Usage): boolean =>
    !isPatient(attempt.user) && usages.some((other) => other !== usage && !other.replayDeletion);
  await Promise.all(
    usages.map((usage) => {
      const kept: Attempt = isVetoedFor(usage) ? { ...attempt, vetoed: true } : attempt;
      return recordAttempt(usage, kept, ports, signal);
    }),
  );
}

/** The usage may come from a cache: what others have recorded since must not be lost. */
export async function recordAttempt(
  known: Usage,
  attempt: Attempt,
  ports: AttemptPorts,
  signal: AbortSignal,
): Promise<void> {
  let usage: Usage | undefined = known;
  while (usage) {
    const attempts = withAttempt(usage.attempts, attempt);
    if (!attempts) return;
    const { uid, resourceVersion } = usage.object.metadata;
    const body = { metadata: { uid, resourceVersion }, status: { attempts } };
    try {
      await ports.writer.patch(usage.ref, { type: 'merge', body, subresource: 'status' }, signal);
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
      usage = await readAgain(known, ports, signal);
    }
  }
}

/** Undefined when it was replaced under its name: the attempt was at what another usage held. */
async function readAgain(usage: Usage, ports: AttemptPorts, signal: AbortSignal): Promise<Usage | undefined> {
  const object = await ports.get(usage.ref, signal);
  return object && object.metadata.uid === usage.object.metadata.uid ? parseUsage(object) : undefined;
}
