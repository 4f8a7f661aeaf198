import type { CephContents } from './contents.ts';
import { questionsAbout } from './questions.ts';

const REASON = 'only Ceph can tell, and it was not asked';

/** Stands in where Ceph is not asked: whatever it might hold is reported as not checked. */
export function unaskedCeph(): CephContents {
  return {
    contentsOf: (resource) =>
      Promise.resolve({
        items: [],
        gaps: questionsAbout(resource).map((what) => ({ what, reason: REASON })),
      }),
  };
}

/** Stands in where the user does not want Ceph to be asked: nothing is missing, but the answer says what it lacks. */
export function skippedCeph(): CephContents {
  return {
    contentsOf: (resource) => {
      const what = questionsAbout(resource);
      const notes =
        what.length > 0 ? [`Ceph was left out, so this says nothing about ${what.join(' and ')}`] : [];
      return Promise.resolve({ items: [], gaps: [], notes });
    },
  };
}

/** Asks, and is content with what comes: a question that Ceph does not answer is noted, and is no gap. */
export function preferredCeph(ceph: CephContents): CephContents {
  return {
    contentsOf: async (resource, signal) => {
      const { items, gaps, notes = [] } = await ceph.contentsOf(resource, signal);
      const unanswered = gaps.map(({ what, reason }) => `Ceph did not tell about ${what}: ${reason}`);
      return { items, gaps: [], notes: [...notes, ...unanswered] };
    },
  };
}
