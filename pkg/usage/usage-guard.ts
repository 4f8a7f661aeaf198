import type { AnswerCause, Deletion, DeletionGuard, Objection } from '#pkg/admission';
import { attemptOf, type Attempt } from '#pkg/protection';
import { denialLines, describe } from './denial.ts';
import { holdersOf, usagesOf } from './holders.ts';
import { isMarked } from './marks.ts';
import type { Usage } from './usage.ts';

export interface UsageGuardPorts {
  /** From the cache: may be late. */
  cachedUsages(): Iterable<Usage>;
  /** As the server has them now. */
  allUsages(signal: AbortSignal): Promise<readonly Usage[]>;
  /** Keeps a refused deletion with the usages that refused it. */
  recordAttempt(usages: readonly Usage[], attempt: Attempt, signal: AbortSignal): Promise<void>;
  now(): number;
}

/** Objects to the deletion of what a usage holds. */
export function usageGuard(ports: UsageGuardPorts): DeletionGuard {
  const objectionTo = (deletion: Deletion, holders: readonly Usage[]): Objection | undefined =>
    holders.length === 0
      ? undefined
      : {
          lines: denialLines(deletion.object, holders),
          causes: holders.map(causeOf),
          // Not for a namespace or a definition: nothing of these is ever repeated, and there may be many holders.
          forbidsRepeat: holders.some(({ replayDeletion }) => !replayDeletion),
          refused: (isVetoed, signal) =>
            ports.recordAttempt(
              usagesOf(deletion.object, holders),
              attemptOf(deletion, isVetoed, ports.now()),
              signal,
            ),
        };
  return {
    async glance(deletion) {
      // Without the mark even a refusal is checked: the usage may just have been released, and this be the replay.
      if (!isMarked(deletion.object)) return undefined;
      return objectionTo(deletion, holdersOf(deletion.object, ports.cachedUsages()));
    },
    async look(deletion, signal) {
      return objectionTo(deletion, holdersOf(deletion.object, await ports.allUsages(signal)));
    },
  };
}

function causeOf(usage: Usage): AnswerCause {
  return { reason: 'RD039', message: describe(usage) };
}
