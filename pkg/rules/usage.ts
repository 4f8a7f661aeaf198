import {
  groupOf,
  isTrueAt,
  Kinds,
  KNOWN_TYPES,
  listAt,
  refOf,
  sameKind,
  textAt,
  type GroupKind,
  type KubeObject,
  type ObjectRef,
} from '#pkg/object';
import type { Lookup } from './lookup.ts';
import type { Rule } from './rule.ts';

const NAMESPACE: GroupKind = { group: '', kind: 'Namespace' };
const DEFINITION: GroupKind = { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' };

/** People say themselves that an object is needed. */
export const usage: Rule = {
  code: 'RD039',
  title: 'A Usage that holds the object',
  relation: 'protects',
  blocks: true,
  reads: [Kinds.Usage, Kinds.ClusterUsage],
  targets: 'any',
  across: true,
  meaning:
    'Somebody made a Usage or ClusterUsage: the object is needed, perhaps by another one (spec.by), perhaps for a reason ' +
    'that only people know (spec.reason). Where rook-deps is installed, its deletion is refused, and that of its namespace ' +
    'and of its definition, with which it would go.',
  remedy: [
    'Ask whoever made it. A Usage with spec.by goes by itself when the object that uses this one is deleted.',
    'kubectl rook-deps unprotect TYPE/NAME removes it.',
  ],
  *references(object, lookup) {
    // A released usage only waits for its own end.
    const used = isTrueAt(object, 'status', 'released') ? undefined : usedBy(object);
    if (!used) return;
    const found = objectOf(used, lookup);
    if (found) yield { to: refOf(found), field: 'spec.of', ...why(object) };
    if (isUsedMissing(object)) return;
    const detail = `${used.kind}/${used.name} is in use`;
    for (const around of surroundingsOf(used, lookup)) yield { to: refOf(around), field: 'spec.of', detail };
  },
};

/** A namespaced kind without a namespace is in the usage's own. */
function usedBy(object: KubeObject): ObjectRef | undefined {
  const name = textAt(object, 'spec', 'of', 'resourceRef', 'name');
  const kind = textAt(object, 'spec', 'of', 'kind');
  if (!name || !kind) return undefined;
  const namespace =
    textAt(object, 'spec', 'of', 'resourceRef', 'namespace') ??
    textAt(object, 'spec', 'of', 'resourceSelector', 'namespace') ??
    object.metadata.namespace;
  return { group: groupOf(textAt(object, 'spec', 'of', 'apiVersion') ?? ''), kind, namespace, name };
}

function objectOf(ref: ObjectRef, lookup: Lookup): KubeObject | undefined {
  const { namespace, name } = ref;
  return (namespace && lookup.object(ref, namespace, name)) || lookup.object(ref, undefined, name);
}

/** With its namespace or its definition the used object would go, too. */
function* surroundingsOf(used: ObjectRef, lookup: Lookup): Iterable<KubeObject> {
  const isNamespaced = KNOWN_TYPES.find((type) => sameKind(type, used))?.namespaced ?? true;
  const namespace =
    isNamespaced && used.namespace ? lookup.object(NAMESPACE, undefined, used.namespace) : undefined;
  if (namespace) yield namespace;
  for (const definition of lookup.ofKind(DEFINITION, undefined)) {
    const isIts =
      textAt(definition, 'spec', 'group') === used.group &&
      textAt(definition, 'spec', 'names', 'kind') === used.kind;
    if (isIts) yield definition;
  }
}

function isUsedMissing(object: KubeObject): boolean {
  return listAt(object, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'reason') === 'UsedNotFound',
  );
}

function why(object: KubeObject): { readonly detail?: string } {
  const reason = textAt(object, 'spec', 'reason');
  const name = textAt(object, 'spec', 'by', 'resourceRef', 'name');
  const by = name && `${textAt(object, 'spec', 'by', 'kind') ?? ''}/${name} uses it`;
  const parts = [by, reason].filter((part) => part !== undefined);
  return parts.length > 0 ? { detail: parts.join(': ') } : {};
}
