import { textAt, type ResourceType } from '#pkg/object';
import type { CodePage, Rule } from './rule.ts';

interface ByName extends CodePage {
  readonly reads: ResourceType;
  /** The field that holds the provider's name, from the root of the object. */
  readonly field: readonly string[];
  readonly target: ResourceType;
  readonly relation: string;
}

/** The commonest rule: one field holds the name of a resource in the same namespace. */
export function byName({ reads, field, target, ...page }: ByName): Rule {
  return {
    ...page,
    blocks: true,
    reads: [reads],
    targets: [target],
    *references(object) {
      const name = textAt(object, ...field);
      const namespace = object.metadata.namespace;
      if (name)
        yield { to: { group: target.group, kind: target.kind, namespace, name }, field: field.join('.') };
    },
  };
}
