import { keyOf, type KubeObject, type ObjectRef, type ResourceType, type ResourceTypes } from '#pkg/object';
import { hasMark } from '#pkg/protection';
import { namespaceOf, targetOf, typeOf } from './target.ts';
import { IN_USE_LABEL, type Usage } from './usage.ts';

/** Everything that must not go while the used object is in use: itself, its namespace, its definition. */
export function marksOf(usage: Usage, types: ResourceTypes): readonly ObjectRef[] {
  const type = typeOf(usage.of, types);
  // The kind is gone, and with it what was used; the namespace may still be marked for it.
  if (!type) return namespaceMark(namespaceOf(usage.of, usage));
  const used = targetOf(usage.of, usage, types);
  return used ? [used, ...namespaceMark(used.namespace), definitionMark(type)] : [];
}

function namespaceMark(namespace: string | undefined): readonly ObjectRef[] {
  return namespace ? [{ group: '', kind: 'Namespace', name: namespace }] : [];
}

/** Built-in kinds have no definition of this name; marking what is not there does nothing. */
function definitionMark({ plural, group }: ResourceType): ObjectRef {
  return { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition', name: `${plural}.${group}` };
}

/** The marks that only this usage wants: `others` are all usages that still hold something. */
export function marksToRemove(
  usage: Usage,
  others: readonly Usage[],
  types: ResourceTypes,
): readonly ObjectRef[] {
  const wanted = new Set(others.flatMap((other) => marksOf(other, types)).map(keyOf));
  return marksOf(usage, types).filter((mark) => !wanted.has(keyOf(mark)));
}

export function isMarked(object: KubeObject): boolean {
  return hasMark(object, IN_USE_LABEL);
}
