import type { WatchedKinds } from '#pkg/cache';
import type { GroupKind, ResourceTypes } from '#pkg/object';
import type { Resource } from './critical-service.ts';
import { NOT_SERVED } from './live-criteria.ts';
import type { NamedState } from './projections.ts';
import { typeOf } from './resources.ts';

export const DEFINITIONS: GroupKind = { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' };

/** Why a resource that the server does not name may have objects, as far as watches have told; undefined: it has none. */
export function whyUnseen(
  resource: Resource,
  types: ResourceTypes,
  named: WatchedKinds<NamedState>,
): string | undefined {
  const failure = types.failureOf({ group: resource.group, kind: resource.resource });
  if (failure) return failure;
  // No definition is of the core group.
  if (resource.group === '') return undefined;
  if (named.state(DEFINITIONS)?.kind !== 'synced') return 'whether it is defined is not known yet';
  return mayBeDefined(resource, types, named) ? NOT_SERVED : undefined;
}

/** By the names of definitions, which hold the plural: where a criterion names the kind, the plural begins like it. */
function mayBeDefined(
  { group, resource }: Resource,
  types: ResourceTypes,
  named: WatchedKinds<NamedState>,
): boolean {
  const stem = resource.toLowerCase().slice(0, -1);
  for (const { ref } of named.store(DEFINITIONS)?.values() ?? []) {
    const dot = ref.name.indexOf('.');
    const plural = ref.name.slice(0, dot);
    const isMeant = ref.name.slice(dot + 1) === group && plural.startsWith(stem);
    if (isMeant && !typeOf({ group, resource: plural }, types)) return true;
  }
  return false;
}
