import { keyOf, refOf, type Gap, type KubeObject, type ObjectKey, type Reader } from '#pkg/object';
import {
  contentWords,
  DependencyIndex,
  knowsDependentsOf,
  needsOfTree,
  NEEDS_OF_PROTECTIONS,
} from '#pkg/rules';
import { contentOwners, gather, gatherComposition, type ContentsReader } from '#pkg/verdict';
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
  const contents = await contentsOf(plan, options, ceph, signal);
  return {
    ...plan,
    obstacles: [...plan.obstacles, ...contents.obstacles],
    gaps: [
      ...subjects.flatMap(kindGap),
      ...[...listed.gaps, ...parts.gaps].map(({ gap }) => gap),
      ...gaps,
      ...doubts(plan, index),
      ...contents.gaps,
    ],
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
    const { owned } = plan;
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

function doubts({ levels, owned }: Plan, index: DependencyIndex): readonly Gap[] {
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
 * What Ceph holds goes with the volumes that are deleted before, or it is in the way. Of what comes later, only images,
 * subvolumes and buckets can be told to belong to no volume that goes; the rest is looked at again before its level.
 */
async function contentsOf(
  { levels, owned }: Plan,
  { includeData }: PlanOptions,
  ceph: ContentsReader,
  signal: AbortSignal,
): Promise<Contents> {
  const [first = [], ...later] = levels.map((level) => level.map(({ object }) => object));
  const all = [...first, ...later.flat(), ...owned];
  const owners = contentOwners(all);
  // What is owned goes with the last level.
  const now = new Set(includeData && later.length > 0 ? first : all);
  const looks = await Promise.all(
    all.map(async (object) => ({ object, found: await ceph.contentsOf(object, signal) })),
  );
  const contents = looks.flatMap(({ object, found }) =>
    found.items.map((item) => {
      const isFree = owners.ownerOf(item) === undefined;
      const isInTheWay = now.has(object) || (isFree && ATTRIBUTED.has(item.kind));
      return { obstacle: contentObstacle(object, item), isFree, isInTheWay };
    }),
  );
  return {
    obstacles: contents.flatMap(({ obstacle, isInTheWay }) => (isInTheWay ? [obstacle] : [])),
    gaps: looks.flatMap(({ found }) => found.gaps),
    notes: [
      ...looks.flatMap(({ found }) => found.notes ?? []),
      ...contents.flatMap(({ obstacle: { object, message }, isFree, isInTheWay }) =>
        isFree && !isInTheWay ? [`${object.kind} ${object.name} ${message}, and must be gone by then`] : [],
      ),
    ],
  };
}

/** What volumes and buckets name as theirs. */
const ATTRIBUTED = new Set(['RBDImage', 'Subvolume', 'Bucket']);

function contentObstacle(
  { kind: holder, metadata }: KubeObject,
  {
    kind,
    name,
    detail,
  }: { readonly kind: string; readonly name: string; readonly detail?: string | undefined },
): Obstacle {
  const { code, relation } = contentWords(kind);
  const message = `${relation} ${holder}/${metadata.name}${detail ? ` (${detail})` : ''}`;
  return { kind: 'contents', object: { group: 'ceph', kind, name }, message, code };
}
