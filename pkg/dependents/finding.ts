import { groupOf, keyOf, type Gap, type ObjectKey, type ObjectRef } from '#pkg/object';
import type { DependencyReport, ObjectName } from '#pkg/verdict';

/** An object that depends on a resource. */
export interface Blocker extends ObjectRef {
  /** Why, as a code that `explain` knows. */
  readonly code: string;
  /** The resource that it holds, where that is not the subject itself but goes with it. */
  readonly of?: ObjectRef;
}

/** What holds a resource. */
export interface Finding {
  /** In order; of many, the first. */
  readonly blockers: readonly Blocker[];
  /** How many there are of each kind. */
  readonly counts: Readonly<Record<string, number>>;
  /** What could not be looked at. */
  readonly gaps: readonly Gap[];
  /** Some of the gaps are questions that Ceph did not answer. */
  readonly lacksCeph?: boolean;
}

/** More are counted, but not named. */
export const MAX_BLOCKERS = 500;

export const NOTHING: Finding = { blockers: [], counts: {}, gaps: [] };

export function totalOf({ counts }: Finding): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Whether somebody needs the resource, nobody does, or nobody can tell. */
export function stateOf(finding: Finding): 'held' | 'free' | 'unknown' {
  if (finding.blockers.length > 0) return 'held';
  return finding.gaps.length > 0 ? 'unknown' : 'free';
}

/** A report, as short as it may travel. */
export function findingOf({ causes, gaps }: Pick<DependencyReport, 'causes' | 'gaps'>): Finding {
  const known = new Map<ObjectKey, Blocker>();
  const counts: Record<string, number> = {};
  for (const { code, object, part } of causes) {
    const { kind } = object;
    const blocker = { ...refTo(object), code, ...(part ? { of: refTo(part) } : {}) };
    // One that is held for two reasons is still one.
    if (known.has(keyOf(blocker))) continue;
    known.set(keyOf(blocker), blocker);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return { blockers: [...known.values()].slice(0, MAX_BLOCKERS), counts, gaps };
}

function refTo({ apiVersion, kind, namespace, name }: ObjectName): ObjectRef {
  return { group: groupOf(apiVersion), kind, name, ...(namespace ? { namespace } : {}) };
}
