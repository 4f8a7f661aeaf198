import { isConflict, type Writer } from '#pkg/object';
import { withAttempt } from './status.ts';
import type { Attempt, Usage } from './usage.ts';

/** Keeps a refused deletion with the usages that refused it, once for each who asked. */
export async function recordAttempts(
  usages: readonly Usage[],
  attempt: Attempt,
  writer: Pick<Writer, 'patch'>,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    usages.map(async (usage) => {
      const attempts = withAttempt(usage, attempt);
      if (!attempts) return;
      const { uid } = usage.object.metadata;
      const body = { metadata: { uid }, status: { attempts } };
      try {
        await writer.patch(usage.ref, { type: 'merge', body, subresource: 'status' }, signal);
      } catch (error) {
        // Replaced under its name since: the attempt was at what another usage held.
        if (!isConflict(error)) throw error;
      }
    }),
  );
}
