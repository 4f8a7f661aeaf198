import { groupOf, type GroupKind, type ObjectRef, type ResourceType, type ResourceTypes } from '#pkg/object';
import type { Side, Usage } from './usage.ts';

/** The kind that a side names, without its version: protection outlives a promotion of the API. */
export function kindOf({ apiVersion, kind }: Side): GroupKind {
  return { group: groupOf(apiVersion), kind };
}

/** Whether it is `version` or `group/version`: of anything else no kind can be told. */
export function isApiVersion(text: string): boolean {
  return /^([^/]+\/)?[^/]+$/.test(text);
}

/** The type that a side names, if the server has it. */
export function typeOf(side: Side, types: ResourceTypes): ResourceType | undefined {
  return isApiVersion(side.apiVersion) ? types.find(kindOf(side)) : undefined;
}

/**
 * The object a side names, once it has a name. A namespaced kind without a namespace is in the usage's own; only
 * the server knows which kinds are namespaced, so an unknown kind names nothing.
 */
export function targetOf(side: Side, usage: Usage, types: ResourceTypes): ObjectRef | undefined {
  const type = typeOf(side, types);
  if (!type || side.name === undefined) return undefined;
  const ref = { group: type.group, kind: type.kind, name: side.name };
  if (!type.namespaced) return ref;
  const namespace = namespaceOf(side, usage);
  return namespace === undefined ? undefined : { ...ref, namespace };
}

/** Where a side looks for its object, should that have a namespace. */
export function namespaceOf(side: Side, usage: Usage): string | undefined {
  return side.namespace ?? side.selector?.namespace ?? usage.ref.namespace;
}

/** The types of the server, young enough to know both kinds that a usage names. */
export async function typesFor(
  usage: Usage,
  ports: { types(wanted: GroupKind, signal: AbortSignal): Promise<ResourceTypes> },
  signal: AbortSignal,
): Promise<ResourceTypes> {
  const types = await ports.types(kindOf(usage.of), signal);
  return usage.by ? ports.types(kindOf(usage.by), signal) : types;
}
