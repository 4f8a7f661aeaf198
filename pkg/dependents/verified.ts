import type { Clock } from '#pkg/clock';
import type { Census, CensusTaker } from '#pkg/kube';
import { keyOf, Kinds, refOf, sameKind, type GroupKind, type KubeObject } from '#pkg/object';
import { needsOfVerdict, type Need } from '#pkg/rules';
import { takenAlongBy, type ResourcesOf } from '#pkg/verdict';
import type { Finding } from './finding.ts';
import type { AllKept } from './kept.ts';

export interface VerifiedPorts {
  readonly cache: {
    ofKind(kind: GroupKind): AllKept;
    isFollowed(kind: GroupKind): boolean;
    readonly isSettled: boolean;
    heldOrDoubted(subject: KubeObject): Finding;
  };
  readonly census: CensusTaker;
  /** Everything listed and judged anew. */
  look(subject: KubeObject, signal: AbortSignal): Promise<Finding>;
  readonly clock: Clock;
}

/** For the watches to bring what the census has seen: that takes milliseconds. */
const PATIENCE_MS = 10;
const TRIES = 6;

/**
 * What holds a resource now, or what would go with a namespace or a definition. A census tells which objects there are, in which version: where the cache has the very same,
 * it is as good as a list and costs next to nothing. Where it has not, everything is listed.
 */
export function verifiedFinder(
  ports: VerifiedPorts,
): (subject: KubeObject, signal: AbortSignal) => Promise<Finding> {
  return async (subject, signal) =>
    (await isCacheCurrent(subject, ports, signal))
      ? ports.cache.heldOrDoubted(subject)
      : ports.look(subject, signal);
}

async function isCacheCurrent(
  subject: KubeObject,
  ports: VerifiedPorts,
  signal: AbortSignal,
): Promise<boolean> {
  const needs = needsOf(subject).filter(({ kind }) => kind.group !== Kinds.Usage.group);
  const followed = needs.filter(({ kind }) => !sameKind(kind, Kinds.Secret));
  const wantsSecrets = needs.length > followed.length && ports.cache.ofKind(Kinds.CosiBucket).size > 0;
  if (wantsSecrets || !followed.every(({ kind }) => ports.cache.isFollowed(kind))) return false;
  const taken = await Promise.allSettled(
    followed.map(async (need) => ({
      need,
      census: await ports.census({ ...need, expected: ports.cache.ofKind(need.kind).size }, signal),
    })),
  );
  signal.throwIfAborted();
  const censuses = taken.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  // Who could not be counted is a matter for the look, which says why.
  if (censuses.length < followed.length) return false;
  for (let tries = 0; tries < TRIES; tries++) {
    const isSame = censuses.every(({ need, census }) => isCounted(need, census, ports.cache));
    if (isSame && ports.cache.isSettled) return true;
    await ports.clock.sleep(PATIENCE_MS, signal);
  }
  return false;
}

/** Of what goes with a subject, the resources themselves as well: nobody has named them. */
function needsOf(subject: KubeObject): readonly Need[] {
  const taken = takenAlongBy(subject);
  if (!taken) return needsOfVerdict([refOf(subject)]);
  const starts = taken.resources.map(({ kind, namespace }) => ({ ...kind, namespace }));
  const needs = needsOfVerdict(starts);
  const isCovered = ({ kind, namespace }: ResourcesOf): boolean =>
    needs.some((need) => sameKind(need.kind, kind) && (need.namespace ?? namespace) === namespace);
  const own = taken.resources.filter((all) => !isCovered(all));
  return [...needs, ...own.map((all) => ({ ...all, detail: 'object' }) as const)];
}

/** Whether the cache has what was counted, or later versions of it, and nothing else that was there then. */
function isCounted({ kind, namespace }: Need, census: Census, cache: VerifiedPorts['cache']): boolean {
  const store = cache.ofKind(kind);
  for (const [key, version] of census.versions) {
    const kept = store.get(key);
    if (!kept || kept.uid !== version.uid || isOlder(kept, version)) return false;
  }
  if (namespace === undefined && store.size === census.versions.size) return true;
  const others = [...store.values()].filter(
    ({ ref }) => (namespace === undefined || ref.namespace === namespace) && !census.versions.has(keyOf(ref)),
  );
  // Made since: the cache is ahead.
  return others.every((kept) => isOlder(census, kept));
}

interface Dated {
  readonly resourceVersion: string;
}

/** Versions are numbers of any length. */
function isOlder({ resourceVersion: a }: Dated, { resourceVersion: b }: Dated): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}
