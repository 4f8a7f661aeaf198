import { keyOf, refOf, type Gap, type KubeObject, type ObjectKey, type Reader } from '#pkg/object';
import {
  contentWords,
  DependencyIndex,
  knowsDependentsOf,
  needsOfTree,
  NEEDS_OF_PROTECTIONS,
} from '#pkg/rules';
import { gather, gatherComposition, type ContentsReader } from '#pkg/verdict';
import { amongThese, otherOwnerOf } from './other-owners.ts';
import { planTeardown, type Obstacle, type Plan, type PlanOptions } from './plan.ts';

export interface SurveyPorts {
  readonly reader: Reader;
  readonly ceph: ContentsReader;
}

/** Looks at all that depends on the subjects, and plans how to delete them with it. */
export async function surveyTeardown(
  subjects: readonly KubeObject[],
  options: PlanOptions,
  { reader, ceph }: SurveyPorts,
  signal: AbortSignal,
): Promise<Plan> {
  const parts = await gatherComposition(reader, subjects, 'dependents', signal);
  const starts = [...subjects, ...parts.items].map(refOf);
  const needs = [...needsOfTree(starts, 'dependents'), ...NEEDS_OF_PROTECTIONS];
  const listed = await gather(reader, needs, signal);
  const index = new DependencyIndex([...listed.items, ...parts.items, ...subjects]);
  const { plan, gaps } = await planAround(subjects, index, options, reader, signal);
  const owned = plan.owned.flatMap((ref) => index.get(ref) ?? []);
  const contents = await contentsOf(plan, owned, options, ceph, signal);
  return {
    ...plan,
    obstacles: [...plan.obstacles, ...contents.obstacles],
    gaps: [
      ...subjects.flatMap(kindGap),
      ...[...listed.gaps, ...parts.gaps].map(({ gap }) => gap),
      ...gaps,
      ...doubts(plan, owned, index),
    ],
    unasked: contents.gaps,
    notes: [...plan.notes, ...contents.notes],
  };
}

/** What others own as well does not go, nor what would go with it: each one found changes the plan. */
async function planAround(
  subjects: readonly KubeObject[],
  index: DependencyIndex,
  options: PlanOptions,
  reader: Pick<Reader, 'get'>,
  signal: AbortSignal,
): Promise<{ readonly plan: Plan; readonly gaps: readonly Gap[] }> {
  const others = new Map<ObjectKey, string>();
  for (;;) {
    const plan = planTeardown(subjects, index, options, others);
    const owned = plan.owned.flatMap((ref) => index.get(ref) ?? []);
    const isGoing = amongThese([...plan.levels.flat().map(({ object }) => object), ...owned]);
    const looks = await Promise.all(owned.map((object) => lookForOther(object, isGoing, reader, signal)));
    for (const { object, other } of looks) if (other) others.set(keyOf(refOf(object)), other);
    if (looks.every(({ other }) => other === undefined))
      return { plan, gaps: looks.flatMap(({ gap }) => gap ?? []) };
  }
}

async function lookForOther(
  object: KubeObject,
  isGoing: ReturnType<typeof amongThese>,
  reader: Pick<Reader, 'get'>,
  signal: AbortSignal,
): Promise<{ readonly object: KubeObject; readonly other?: string | undefined; readonly gap?: Gap }> {
  try {
    return { object, other: await otherOwnerOf(object, isGoing, reader, signal) };
  } catch (error) {
    signal.throwIfAborted();
    const what = `other owners of ${object.kind} ${object.metadata.name}`;
    return { object, gap: { what, reason: error instanceof Error ? error.message : String(error) } };
  }
}

/** Of a kind that no rule is about, finding nothing says nothing. */
function kindGap(subject: KubeObject): readonly Gap[] {
  if (knowsDependentsOf(refOf(subject))) return [];
  return [{ what: `dependents of ${subject.kind}`, reason: 'no rule knows what depends on this kind' }];
}

function doubts({ levels }: Plan, owned: readonly KubeObject[], index: DependencyIndex): readonly Gap[] {
  const found = new Map<ObjectKey, Gap>();
  const going = [...levels.flat().map(({ object }) => object), ...owned].map(refOf);
  const known = new Set(going.map(keyOf));
  for (const ref of going) {
    for (const doubt of index.doubtsAbout(ref)) {
      const { kind, namespace, name } = doubt.object;
      const what = `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
      if (!known.has(keyOf(doubt.object))) found.set(keyOf(doubt.object), { what, reason: doubt.reason });
    }
  }
  return [...found.values()];
}

interface Contents {
  readonly obstacles: readonly Obstacle[];
  readonly gaps: readonly Gap[];
  readonly notes: readonly string[];
}

/**
 * What Ceph holds goes with the volumes that are deleted before, or it is nobody's: it is in the way of what would be
 * deleted now.
 */
async function contentsOf(
  { levels }: Plan,
  owned: readonly KubeObject[],
  { includeData }: PlanOptions,
  ceph: ContentsReader,
  signal: AbortSignal,
): Promise<Contents> {
  const [first = [], ...later] = levels.map((level) => level.map(({ object }) => object));
  // What is owned goes with the last level.
  const now = new Set(includeData && later.length > 0 ? first : [...first, ...later.flat(), ...owned]);
  const found = await Promise.all(
    [...first, ...later.flat(), ...owned].map(async (object) => ({
      object,
      contents: await ceph.contentsOf(object, signal),
    })),
  );
  return {
    obstacles: found
      .filter(({ object }) => now.has(object))
      .flatMap(({ object, contents }) =>
        contents.items.map(({ kind, name, detail }) => {
          const { code, relation } = contentWords(kind);
          const message = `${relation} ${object.kind}/${object.metadata.name}${detail ? ` (${detail})` : ''}`;
          return { kind: 'contents' as const, object: { group: 'ceph', kind, name }, message, code };
        }),
      ),
    gaps: found.flatMap(({ contents }) => contents.gaps),
    notes: found.flatMap(({ contents }) => contents.notes ?? []),
  };
}
