import { Kinds, sameKind, type Gap, type KubeObject } from '#pkg/object';
import { decide, type ContentsReader, type Lister } from '#pkg/verdict';
import { findingOf, type Finding } from './finding.ts';

/** What holds these resources now: all that can depend on them is listed, and the rules judge. */
export async function findNow(
  lister: Lister,
  subjects: readonly KubeObject[],
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const secretGaps: Gap[] = [];
  const reports = await decide(selective(lister, secretGaps), subjects, CLUSTER_ALONE, signal);
  return reports.map(findingOf).map((finding) => withSecretGaps(finding, secretGaps));
}

/** Ceph is asked elsewhere: see `withContents`. */
const CLUSTER_ALONE: ContentsReader = { contentsOf: async () => ({ items: [], gaps: [] }) };

/** Usages have a guard of their own. That Secrets cannot be listed is no gap by itself: see below. */
function selective(lister: Lister, secretGaps: Gap[]): Lister {
  return {
    async list(request, signal) {
      if (request.kind.group === Kinds.Usage.group) return { items: [], gaps: [] };
      const listing = await lister.list(request, signal);
      if (!sameKind(request.kind, Kinds.Secret)) return listing;
      secretGaps.push(...listing.gaps);
      return { items: listing.items, gaps: [] };
    },
  };
}

/**
 * Secrets only help to place COSI buckets whose user has no resource, and we do without the right to list them: a bucket
 * that cannot be placed is in doubt, and then the missing right is worth telling.
 */
function withSecretGaps(finding: Finding, secretGaps: readonly Gap[]): Finding {
  const isBucketInDoubt = finding.gaps.some(({ what }) => what.startsWith(`${Kinds.CosiBucket.kind} `));
  return isBucketInDoubt ? { ...finding, gaps: [...finding.gaps, ...secretGaps] } : finding;
}
