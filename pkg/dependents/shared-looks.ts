import type { KubeObject } from '#pkg/object';
import type { Finding } from './finding.ts';

type LookAtAll = (subjects: readonly KubeObject[], signal: AbortSignal) => Promise<readonly Finding[]>;

interface Asker {
  readonly subject: KubeObject;
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
      const findings = await lookAtAll(subjects, AbortSignal.timeout(limitMs));
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
    const asker = { subject, resolve, reject };
    waiting.push(asker);
    signal.addEventListener('abort', () => {
      waiting = waiting.filter((other) => other !== asker);
      reject(signal.reason as Error);
    });
    if (!isLooking) void look();
    return promise;
  };
}
