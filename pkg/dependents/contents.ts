import { refOf, type Gap, type KubeObject, type Listing } from '#pkg/object';
import { contentWords } from '#pkg/rules';
import { takenAlongBy, type ContentsReader } from '#pkg/verdict';
import { MAX_BLOCKERS, type Blocker, type Finding } from './finding.ts';

type Find = (subject: KubeObject, signal: AbortSignal) => Promise<Finding>;

export interface ContentsPorts {
  readonly contents: ContentsReader;
  /** Those of the resources that go with a namespace or a definition which may hold data in Ceph, as they are now. */
  takenAlong(subject: KubeObject, signal: AbortSignal): Promise<Listing>;
}

/** Adds what only Ceph can tell to what the cluster tells. Ceph is asked only when nothing else holds the subject. */
export function withContents(find: Find, ports: ContentsPorts): Find {
  return async (subject, signal) => {
    const found = await find(subject, signal);
    if (found.blockers.length > 0) return found;
    const isAround = takenAlongBy(subject) !== undefined;
    const { items, gaps } = isAround
      ? await ports.takenAlong(subject, signal)
      : { items: [subject], gaps: [] };
    const parts = await Promise.all(items.map((resource) => held(resource, isAround, ports, signal)));
    const blockers = parts.flatMap((part) => part.blockers);
    const silence = parts.flatMap((part) => part.gaps);
    return {
      blockers: blockers.slice(0, MAX_BLOCKERS),
      counts: countsOf(blockers),
      gaps: [...found.gaps, ...gaps, ...silence],
      ...(silence.length > 0 ? { lacksCeph: true } : {}),
    };
  };
}

interface Held {
  readonly blockers: readonly Blocker[];
  readonly gaps: readonly Gap[];
}

async function held(
  resource: KubeObject,
  isPart: boolean,
  { contents }: ContentsPorts,
  signal: AbortSignal,
): Promise<Held> {
  const { items, gaps } = await contents.contentsOf(resource, signal);
  const of = isPart ? { of: refOf(resource) } : {};
  const blockers = items.map(({ kind, name }) => ({
    group: 'ceph',
    kind,
    name,
    code: contentWords(kind).code,
    ...of,
  }));
  return { blockers, gaps };
}

function countsOf(blockers: readonly Blocker[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { kind } of blockers) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
