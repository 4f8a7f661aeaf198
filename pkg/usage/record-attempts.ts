import { isConflict, type KubeObject, type ObjectRef, type Writer } from '#pkg/object';
import { heededBy, withAttempt, type Attempt } from '#pkg/protection';
import { parseUsage, type Usage } from './usage.ts';

export interface AttemptPorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  readonly writer: Pick<Writer, 'patch'>;
}

/** Keeps a refused deletion with the usages that refused it, once for each who asked. */
export async function recordAttempts(
  usages: readonly Usage[],
  attempt: Attempt,
  ports: AttemptPorts,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    usages.map((usage) => {
      const others = usages.filter((other) => other !== usage);
      return recordAttempt(usage, heededBy(others, attempt), ports, signal);
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
