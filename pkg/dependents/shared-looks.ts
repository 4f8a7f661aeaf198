import type { KubeObject } from '#pkg/object';
import type { Finding } from './finding.ts';

type LookAtAll = (subjects: readonly KubeObject[], signal: AbortSignal) => Promise<readonly Finding[]>;

interface Asker {
  readonly subject: KubeObject;
  readonly signal: AbortSignal;
  readonly resolve: (finding: Finding) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One look for all who ask at a time: each lists thousands of objects. Who asks while a look is under way waits for the
 * next one, for the first may have begun before what he must know of.
 */
export function sharedLooks(
  lookAtAll: LookAtAll,
  limitMs: number,
): (subject: KubeObject, signal: AbortSignal) => Promise<Finding> {
  let waiting: Asker[] = [];
  let isLooking = false;

  async function look(): Promise<void> {
    isLooking = true;
    while (waiting.length > 0) {
      const askers = waiting;
      waiting = [];
      await answer(askers);
    }
    isLooking = false;
  }

  async function answer(askers: readonly Asker[]): Promise<void> {
    try {
      const subjects = askers.map(({ subject }) => subject);
      const limit = AbortSignal.timeout(limitMs);
      const findings = await lookAtAll(subjects, AbortSignal.any([limit, allAborted(askers)]));
      askers.forEach(({ resolve, reject }, at) => {
        const finding = findings[at];
        if (finding) resolve(finding);
        else reject(new Error('a look brought no finding'));
      });
    } catch (error) {
      for (const { reject } of askers) reject(error);
    }
  }

  return (subject, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<Finding>();
    signal.throwIfAborted();
    const asker = { subject, signal, resolve, reject };
    waiting.push(asker);
    signal.addEventListener('abort', () => {
      waiting = waiting.filter((other) => other !== asker);
      reject(signal.reason as Error);
    });
    if (!isLooking) void look();
    return promise;
  };
}

/** When nobody waits for it any more, a look only takes time from the next. */
function allAborted(askers: readonly Asker[]): AbortSignal {
  const all = new AbortController();
  let waiting = askers.length;
  for (const { signal } of askers) {
    const leave = (): void => {
      if (--waiting === 0) all.abort(signal.reason);
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  }
  return all.signal;
}
