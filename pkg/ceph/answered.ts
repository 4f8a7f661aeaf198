import type { Content, Contents } from './contents.ts';
import { isCephFailure } from './runner.ts';

/** The answer to one question as contents; where Ceph failed to give it, `what` is a gap. */
export async function answered(what: string, ask: () => Promise<readonly Content[]>): Promise<Contents> {
  try {
    return { items: await ask(), gaps: [] };
  } catch (error) {
    return gapFor(what, error);
  }
}

export function gapFor(what: string | readonly string[], error: unknown): Contents {
  if (!isCephFailure(error)) throw error;
  const open = typeof what === 'string' ? [what] : what;
  return { items: [], gaps: open.map((question) => ({ what: question, reason: error.message })) };
}
