import type { Edge } from '#pkg/graph';
import { kindKey, refOf, sameKind, type KindKey, type KubeObject, type ObjectRef } from '#pkg/object';
import { RULES } from './catalogue.ts';
import type { Lookup } from './lookup.ts';
import type { Doubt, Reference, Rule } from './rule.ts';

/** A doubt, and who has it about what. */
export interface OpenDoubt {
  readonly rule: Rule;
  readonly object: ObjectRef;
  readonly doubt: Doubt;
}

/** All that an object mentions. */
export function resolution(
  object: KubeObject,
  lookup: Lookup,
): { readonly edges: readonly Edge[]; readonly doubts: readonly OpenDoubt[] } {
  const ref = refOf(object);
  const edges: Edge[] = [];
  const doubts: OpenDoubt[] = [];
  for (const rule of rulesReading(ref)) {
    for (const mention of rule.references(object, lookup)) {
      if ('doubt' in mention) doubts.push({ rule, object: ref, doubt: mention });
      else addEdge(edges, edgeOf(rule, ref, mention));
    }
  }
  return { edges, doubts };
}

const ANY_KIND = RULES.filter((rule) => rule.reads === 'any');
const BY_KIND: ReadonlyMap<KindKey, readonly Rule[]> = new Map(
  RULES.flatMap((rule) => (rule.reads === 'any' ? [] : rule.reads)).map((kind) => [
    kindKey(kind),
    RULES.filter((rule) => rule.reads === 'any' || rule.reads.some((read) => sameKind(read, kind))),
  ]),
);

function rulesReading(ref: ObjectRef): readonly Rule[] {
  return BY_KIND.get(kindKey(ref)) ?? ANY_KIND;
}

/** One edge for each rule and pair: the first field names it, and one blocking mention is enough. */
function addEdge(edges: Edge[], edge: Edge): void {
  const at = edges.findIndex(
    ({ code, provider, dependent }) =>
      code === edge.code && isSame(provider, edge.provider) && isSame(dependent, edge.dependent),
  );
  const known = edges[at];
  if (!known) edges.push(edge);
  else if (edge.blocks && !known.blocks) edges[at] = edge;
}

function isSame(a: ObjectRef, b: ObjectRef): boolean {
  return a.name === b.name && sameKind(a, b) && (a.namespace ?? '') === (b.namespace ?? '');
}

function edgeOf(rule: Rule, read: ObjectRef, reference: Reference): Edge {
  return {
    dependent: reference.from ?? read,
    provider: reference.to,
    code: rule.code,
    relation: rule.relation,
    field: reference.field,
    detail: reference.detail,
    blocks: rule.blocks && reference.blocks !== false,
  };
}
