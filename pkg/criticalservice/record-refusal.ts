import { isConflict, type KubeObject, type ObjectRef, type Writer } from '#pkg/object';
import { heededBy, isPatient, withAttempt, type Attempt } from '#pkg/protection';
import { parseCriticalService, type CriticalService } from './critical-service.ts';

export interface RefusalPorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  readonly writer: Pick<Writer, 'patch'>;
}

/** Agents ask again and again: who asks for the same is noted no more often than this. */
const SAME_AGAIN_MS = 60_000;

export type RefusalRecorder = (
  services: readonly CriticalService[],
  object: KubeObject,
  attempt: Attempt,
  signal: AbortSignal,
) => Promise<void>;

/** Notes who was refused what; and keeps the deletion, where it is to be carried out later. */
export function refusalRecorder(ports: RefusalPorts): RefusalRecorder {
  const noted = new Noted();
  return async (services, object, attempt, signal) => {
    await Promise.all(
      services.map((service) => {
        const others = services.filter((other) => other !== service);
        return recordOne(service, object, heededBy(others, attempt), { ...ports, noted }, signal);
      }),
    );
  };
}

/** What was noted lately. The status has the last only, and several may be asked for in turn. */
class Noted {
  readonly #atMs = new Map<string, number>();

  isRecent(key: string, nowMs: number): boolean {
    return nowMs - (this.#atMs.get(key) ?? -Infinity) < SAME_AGAIN_MS;
  }

  add(key: string, nowMs: number): void {
    for (const [old, atMs] of this.#atMs) if (nowMs - atMs >= SAME_AGAIN_MS) this.#atMs.delete(old);
    this.#atMs.set(key, nowMs);
  }
}

async function recordOne(
  known: CriticalService,
  object: KubeObject,
  attempt: Attempt,
  ports: RefusalPorts & { readonly noted: Noted },
  signal: AbortSignal,
): Promise<void> {
  const key = [known.object.metadata.uid, attempt.user.username, labelOf(object)].join(' ');
  const nowMs = Date.parse(attempt.time);
  let service: CriticalService | undefined = known;
  while (service) {
    const status = statusWith(service, object, attempt, ports.noted.isRecent(key, nowMs));
    if (!status) return;
    const { uid, resourceVersion } = service.object.metadata;
    const body = { metadata: { uid, resourceVersion }, status };
    try {
      await ports.writer.patch(service.ref, { type: 'merge', body, subresource: 'status' }, signal);
      if ('lastRefusal' in status) ports.noted.add(key, nowMs);
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
  isNoted: boolean,
): Record<string, unknown> | undefined {
  const isWished = service.replayDeletion || isPatient(attempt.user);
  const attempts = isWished ? withAttempt(service.attempts, attempt) : undefined;
  const lastRefusal = { time: attempt.time, user: attempt.user.username, object: labelOf(object) };
  const { lastRefusal: before } = service;
  const isNews =
    !isNoted &&
    (before?.user !== lastRefusal.user ||
      before.object !== lastRefusal.object ||
      Date.parse(lastRefusal.time) - Date.parse(before.time) >= SAME_AGAIN_MS);
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
