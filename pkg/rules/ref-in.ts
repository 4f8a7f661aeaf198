import { textAt, type GroupKind, type ObjectRef } from '#pkg/object';

/** Reads a reference that stands in a field, as `{namespace, name}`. */
export function refIn(kind: GroupKind, value: unknown): ObjectRef | undefined {
  const name = textAt(value, 'name');
  return name
    ? { group: kind.group, kind: kind.kind, namespace: textAt(value, 'namespace'), name }
    : undefined;
}
