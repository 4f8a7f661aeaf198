import { groupOf, isTrueAt, Kinds, refOf, textAt, type KubeObject } from '#pkg/object';
import type { Lookup } from './lookup.ts';
import type { Rule } from './rule.ts';

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
    'that only people know (spec.reason). Where rook-deps is installed, the deletion is refused.',
  remedy: [
    'Ask whoever made it. A Usage with spec.by goes by itself when the object that uses this one is deleted.',
    'kubectl rook-deps unprotect TYPE/NAME removes it.',
  ],
  *references(object, lookup) {
    // A released usage only waits for its own end.
    if (isTrueAt(object, 'status', 'released')) return;
    const used = usedBy(object, lookup);
    if (used) yield { to: refOf(used), field: 'spec.of', ...why(object) };
  },
};

/** A namespaced kind without a namespace is in the usage's own. */
function usedBy(object: KubeObject, lookup: Lookup): KubeObject | undefined {
  const name = textAt(object, 'spec', 'of', 'resourceRef', 'name');
  const kind = textAt(object, 'spec', 'of', 'kind');
  if (!name || !kind) return undefined;
  const type = { group: groupOf(textAt(object, 'spec', 'of', 'apiVersion') ?? ''), kind };
  const namespace =
    textAt(object, 'spec', 'of', 'resourceRef', 'namespace') ??
    textAt(object, 'spec', 'of', 'resourceSelector', 'namespace') ??
    object.metadata.namespace;
  return (namespace && lookup.object(type, namespace, name)) || lookup.object(type, undefined, name);
}

function why(object: KubeObject): { readonly detail?: string } {
  const reason = textAt(object, 'spec', 'reason');
  const name = textAt(object, 'spec', 'by', 'resourceRef', 'name');
  const by = name && `${textAt(object, 'spec', 'by', 'kind') ?? ''}/${name} uses it`;
  const parts = [by, reason].filter((part) => part !== undefined);
  return parts.length > 0 ? { detail: parts.join(': ') } : {};
}
