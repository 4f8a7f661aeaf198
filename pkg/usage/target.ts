import {
  groupOf,
  keyOf,
  type GroupKind,
  type ObjectKey,
  type ObjectRef,
  type ResourceTypes,
} from '#pkg/object';
import type { Side, Usage } from './usage.ts';

/** The kind that a side names, without its version: protection outlives a promotion of the API. */
export function kindOf({ apiVersion, kind }: Side): GroupKind {
  return { group: groupOf(apiVersion), kind };
}

/**
 * The object a side names, once it has a name. A namespaced kind without a namespace is in the usage's own; only
 * the server knows which kinds are namespaced, so an unknown kind names nothing.
 */
export function targetOf(side: Side, usage: Usage, types: ResourceTypes): ObjectRef | undefined {
  const type = types.find(kindOf(side));
  if (!type || side.name === undefined) return undefined;
  const ref = { group: type.group, kind: type.kind, name: side.name };
  if (!type.namespaced) return ref;
  const namespace = side.namespace ?? side.selector?.namespace ?? usage.ref.namespace;
  return namespace === undefined ? undefined : { ...ref, namespace };
}

export function targetKey(side: Side, usage: Usage, types: ResourceTypes): ObjectKey | undefined {
  const ref = targetOf(side, usage, types);
  return ref && keyOf(ref);
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
