import { isConflict, isTerminating, refOf, type Writer } from '#pkg/object';
import { stepName, type Cascade, type Plan } from '#pkg/teardown';
import { dryRunSuffix } from './dry-run.ts';
import { failureLines } from './failure.ts';
import type { Io } from './io.ts';

/**
 * Asks the server about every deletion without any being done. What is refused because of something that would be gone by
 * then is shown and does not count.
 */
export async function rehearse(
  { levels }: Plan,
  propagationPolicy: Cascade,
  writer: Pick<Writer, 'delete'>,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  let failures = 0;
  for (const [at, level] of levels.entries()) {
    for (const { object, action } of level) {
      if (action === 'await' || isTerminating(object)) continue;
      const { uid, namespace } = object.metadata;
      try {
        await writer.delete(refOf(object), { uid, propagationPolicy, dryRun: true }, signal);
        const where = namespace ? ` from ${namespace} namespace` : '';
        io.print(`${stepName(object)} deleted${where}${dryRunSuffix('server')}`);
      } catch (error) {
        if (!(error instanceof Error) || !('status' in error)) throw error;
        const isForNow = at > 0 && isConflict(error);
        if (!isForNow) failures += 1;
        for (const line of failureLines(error)) io.error(isForNow ? `Refused for now: ${line}` : line);
      }
    }
  }
  return failures > 0 ? 1 : 0;
}
