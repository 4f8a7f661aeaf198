import type { CephContents } from './contents.ts';
import { questionsAbout } from './questions.ts';

/** Gives up after a while: who waits for an answer has no more time, and must hear what is missing from it. */
export function limitedCeph(ceph: CephContents, limitMs: number): CephContents {
  return {
    contentsOf: async (resource, signal) => {
      const limit = AbortSignal.timeout(limitMs);
      try {
        return await ceph.contentsOf(resource, AbortSignal.any([signal, limit]));
      } catch (error) {
        signal.throwIfAborted();
        if (!limit.aborted) throw error;
        const reason = `Ceph had no answer within ${limitMs / 1000} s`;
        return { items: [], gaps: questionsAbout(resource).map((what) => ({ what, reason })) };
      }
    },
  };
}
