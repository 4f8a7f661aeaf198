import { groupOf, isRecord, type KubeObject } from '#pkg/object';
import { FIELD_MANAGER } from './names.ts';

export type ChangeWord = 'created' | 'configured' | 'unchanged' | 'deleted' | 'unlabeled' | 'released';

/** What was done to an object, or would be. */
export interface Change {
  readonly object: KubeObject;
  readonly word: ChangeWord;
}

/** `deployment.apps/rook-deps-controller`, as kubectl names things. */
export function nameOf({ apiVersion, kind, metadata }: KubeObject): string {
  const group = groupOf(apiVersion);
  return `${kind.toLowerCase()}${group ? `.${group}` : ''}/${metadata.name}`;
}

/** What an apply has done. The version alone does not tell: a dry run has none of its own. */
export function wordFor(before: KubeObject | undefined, after: KubeObject): ChangeWord {
  if (!before) return 'created';
  return JSON.stringify(ordered(content(before))) === JSON.stringify(ordered(content(after)))
    ? 'unchanged'
    : 'configured';
}

/** Whether an apply that led from one to the other would change nothing, not even which fields are ours. */
export function isSettled(before: KubeObject, after: KubeObject): boolean {
  const text = (object: KubeObject): string => JSON.stringify(ordered(ourFields(object)));
  return wordFor(before, after) === 'unchanged' && text(before) === text(after);
}

function ourFields({ metadata }: KubeObject): unknown {
  return (metadata.managedFields ?? [])
    .filter(({ manager, operation }) => manager === FIELD_MANAGER && operation === 'Apply')
    .map(({ fieldsV1 }) => fieldsV1);
}

function content(object: KubeObject): object {
  const {
    managedFields: _,
    resourceVersion: __,
    generation: ___,
    ...metadata
  } = {
    generation: undefined,
    ...object.metadata,
  };
  // Others write it while we look.
  return { ...object, metadata, status: undefined };
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, ordered(value[key])]),
  );
}
