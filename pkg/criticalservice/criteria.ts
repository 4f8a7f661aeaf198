import { compareText, type ObjectRef } from '#pkg/object';
import type { Criterion } from './critical-service.ts';
import { nameOf, resourceName } from './resources.ts';

/** How a criterion stands. Unknown is never met. */
export interface Standing {
  readonly criterion: Criterion;
  readonly state: 'met' | 'unmet' | 'unknown';
  /** How many objects are in the way; undefined when nobody can tell. */
  readonly count?: number | undefined;
  readonly examples: readonly string[];
  /** One that is in the way, for whoever wants to make sure. */
  readonly first?: ObjectRef | undefined;
  /** For people: what is in the way, or why nobody can tell, or why it is met. */
  readonly message: string;
}

const MAX_EXAMPLES = 5;

export function met(criterion: Criterion, message: string): Standing {
  return { criterion, state: 'met', count: 0, examples: [], message };
}

export function unknown(criterion: Criterion, reason: string): Standing {
  return { criterion, state: 'unknown', examples: [], message: `${subjectOf(criterion)}: ${reason}` };
}

/** Of a kind that does not exist there are no objects. */
export function metWithoutType(criterion: Criterion): Standing {
  return met(criterion, `the server has no ${resourceName(criterion)}`);
}

/** `names` may stop after as many as are shown. */
export function standingOfFinalizer(
  criterion: Extract<Criterion, { type: 'Finalizer' }>,
  count: number,
  names: Iterable<string>,
): Standing {
  const what = `${resourceName(criterion)} with finalizer ${criterion.finalizerName}`;
  if (count === 0) return met(criterion, `no ${what}`);
  const examples = [...firstOf(names, MAX_EXAMPLES)].sort(compareText);
  const more = count > examples.length ? `, +${count - examples.length} more` : '';
  return {
    criterion,
    state: 'unmet',
    count,
    examples,
    message: `${count} ${what}: ${examples.join(', ')}${more}`,
  };
}

export function standingOfResource(
  criterion: Extract<Criterion, { type: 'SpecificResource' }>,
  found: 'absent' | 'present' | 'terminating',
): Standing {
  const name = nameOf(criterion);
  if (found === 'absent') return met(criterion, `${name} is gone`);
  const message = found === 'present' ? `${name} still exists` : `${name} is being deleted, and still exists`;
  return { criterion, state: 'unmet', count: 1, examples: [pathOf(criterion)], message };
}

/** Whether nothing, something, or something unknown stands against the deletion of the provider. */
export function summaryOf(standings: readonly Standing[]): Standing['state'] {
  if (standings.some(({ state }) => state === 'unmet')) return 'unmet';
  return standings.some(({ state }) => state === 'unknown') ? 'unknown' : 'met';
}

function subjectOf(criterion: Criterion): string {
  return criterion.type === 'Finalizer'
    ? `${resourceName(criterion)} with finalizer ${criterion.finalizerName}`
    : nameOf(criterion);
}

function pathOf({
  namespace,
  name,
}: {
  readonly namespace?: string | undefined;
  readonly name: string;
}): string {
  return namespace ? `${namespace}/${name}` : name;
}

function* firstOf<T>(values: Iterable<T>, count: number): Iterable<T> {
  let left = count;
  for (const value of values) {
    if (left-- <= 0) return;
    yield value;
  }
}
