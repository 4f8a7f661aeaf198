import { isConflict, type KubeObject, type ObjectRef, type Writer } from '#pkg/object';
import { heededBy, isPatient, withAttempt, type Attempt } from '#pkg/protection';
import { parseCriticalService, type CriticalService } from './critical-service.ts';

export interface RefusalPorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  readonly writer: Pick<Writer, 'patch'>;
}

/** Agents ask again and again: who asks for the same is noted no more often than this. */
const SAME_AGAIN_MS = 60_000;

/** Notes who was refused what; and keeps the deletion, where it is to be carried out later. */
export async function recordRefusal(
  services: readonly CriticalService[],
  object: KubeObject,
  attempt: Attempt,
  ports: RefusalPorts,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    services.map((service) => {
      const others = services.filter((other) => other !== service);
      return recordOne(service, object, heededBy(others, attempt), ports, signal);
    }),
  );
}

async function recordOne(
  known: CriticalService,
  object: KubeObject,
  attempt: Attempt,
  ports: RefusalPorts,
  signal: AbortSignal,
): Promise<void> {
  let service: CriticalService | undefined = known;
  while (service) {
    const status = statusWith(service, object, attempt);
    if (!status) return;
    const { uid, resourceVersion } = service.object.metadata;
    const body = { metadata: { uid, resourceVersion }, status };
    try {
      await ports.writer.patch(service.ref, { type: 'merge', body, subresource: 'status' }, signal);
      return;
    } catch (error) {
      // The service may come from a cache: what others have recorded since must not be lost.
      if (!isConflict(error)) throw error;
      service = await readAgain(known, ports, signal);
    }
  }
}

function statusWith(
  service: CriticalService,
  object: KubeObject,
  attempt: Attempt,
): Record<string, unknown> | undefined {
  const isWished = service.replayDeletion || isPatient(attempt.user);
  const attempts = isWished ? withAttempt(service.attempts, attempt) : undefined;
  const lastRefusal = { time: attempt.time, user: attempt.user.username, object: labelOf(object) };
  const { lastRefusal: before } = service;
  const isNews =
    before?.user !== lastRefusal.user ||
    before.object !== lastRefusal.object ||
    Date.parse(lastRefusal.time) - Date.parse(before.time) >= SAME_AGAIN_MS;
  if (!attempts && !isNews) return undefined;
  return { ...(isNews ? { lastRefusal } : {}), ...(attempts ? { attempts } : {}) };
}

function labelOf({ kind, metadata: { namespace, name } }: KubeObject): string {
  return `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
}

/** Undefined when it was replaced under its name: what was refused was for the sake of another. */
async function readAgain(
  service: CriticalService,
  ports: RefusalPorts,
  signal: AbortSignal,
): Promise<CriticalService | undefined> {
  const object = await ports.get(service.ref, signal);
  return object && object.metadata.uid === service.object.metadata.uid
    ? parseCriticalService(object)
    : undefined;
}
