import { groupOf, refOf, textAt, type GroupKind, type KubeObject, type ObjectRef } from '#pkg/object';
import { kindOf, namespaceOf } from './target.ts';
import type { Usage } from './usage.ts';

/** The usages that hold an object: those of the object itself, of anything in a Namespace, of any resource of a CRD. */
export function holdersOf(object: KubeObject, usages: Iterable<Usage>): readonly Usage[] {
  return [...usages].filter((usage) => !usage.isReleased && holds(usage, object));
}

/** The usages that name an object itself. */
export function usagesOf(object: KubeObject, usages: Iterable<Usage>): readonly Usage[] {
  return [...usages].filter((usage) => !usage.isReleased && isUsed(usage, refOf(object)));
}

function holds(usage: Usage, object: KubeObject): boolean {
  const ref = refOf(object);
  if (isUsed(usage, ref)) return true;
  if (usage.isUsedMissing) return false;
  if (ref.group === '' && ref.kind === 'Namespace') return whereUsed(usage) === ref.name;
  if (ref.group === 'apiextensions.k8s.io' && ref.kind === 'CustomResourceDefinition') {
    // With the definition of usages all usages would go.
    return defines(object, kindOf(usage.of)) || defines(object, usage.ref);
  }
  return false;
}

/** Only who has seen the object knows whether it has a namespace. */
function whereUsed(usage: Usage): string | undefined {
  return usage.usedUid === undefined ? namespaceOf(usage.of, usage) : usage.usedNamespace;
}

function defines(definition: KubeObject, { group, kind }: GroupKind): boolean {
  return (
    textAt(definition, 'spec', 'group') === group && textAt(definition, 'spec', 'names', 'kind') === kind
  );
}

/** Whether a usage names this object. The object knows whether it is namespaced, so the server need not be asked. */
function isUsed(usage: Usage, ref: ObjectRef): boolean {
  const { of } = usage;
  if (of.name !== ref.name || of.kind !== ref.kind || groupOf(of.apiVersion) !== ref.group) return false;
  return ref.namespace === undefined || namespaceOf(of, usage) === ref.namespace;
}
