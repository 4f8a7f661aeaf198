import { keyOf, refOf, type Gap, type KubeObject, type ObjectKey, type Reader } from '#pkg/object';
import { DependencyIndex, knowsDependentsOf, needsOfTree, NEEDS_OF_PROTECTIONS } from '#pkg/rules';
import { gather, gatherComposition, type ContentsReader } from '#pkg/verdict';
import { planTeardown, type Obstacle, type Plan, type PlanOptions, type Step } from './plan.ts';

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
  const plan = planTeardown(subjects, index, options);
  const contents = await contentsOf(plan, options, ceph, signal);
  return {
    ...plan,
    obstacles: [...plan.obstacles, ...contents.obstacles],
    gaps: [
      ...subjects.flatMap(kindGap),
      ...[...listed.gaps, ...parts.gaps].map(({ gap }) => gap),
      ...doubts(plan, index),
    ],
    unasked: contents.gaps,
    notes: [...plan.notes, ...contents.notes],
  };
}

/** Of a kind that no rule is about, finding nothing says nothing. */
function kindGap(subject: KubeObject): readonly Gap[] {
  if (knowsDependentsOf(refOf(subject))) return [];
  return [{ what: `dependents of ${subject.kind}`, reason: 'no rule knows what depends on this kind' }];
}

function doubts({ levels }: Plan, index: DependencyIndex): readonly Gap[] {
  const found = new Map<ObjectKey, Gap>();
  const planned = new Set(levels.flat().map(({ object }) => keyOf(refOf(object))));
  for (const { object } of levels.flat()) {
    for (const doubt of index.doubtsAbout(refOf(object))) {
      const { kind, namespace, name } = doubt.object;
      const what = `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
      if (!planned.has(keyOf(doubt.object))) found.set(keyOf(doubt.object), { what, reason: doubt.reason });
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
  { includeData }: PlanOptions,
  ceph: ContentsReader,
  signal: AbortSignal,
): Promise<Contents> {
  const isNow = (step: Step): boolean => !includeData || levels[0]?.includes(step) === true;
  const found = await Promise.all(
    levels.flat().map(async (step) => ({ step, contents: await ceph.contentsOf(step.object, signal) })),
  );
  return {
    obstacles: found
      .filter(({ step }) => isNow(step))
      .flatMap(({ step: { object }, contents }) =>
        contents.items.map(({ kind, name }) => ({
          kind: 'contents' as const,
          object: { group: 'ceph', kind, name },
          message: `is stored in ${object.kind}/${object.metadata.name}`,
          code: 'RD027',
        })),
      ),
    gaps: found.flatMap(({ contents }) => contents.gaps),
    notes: found.flatMap(({ contents }) => contents.notes ?? []),
  };
}
