import {
  keyOf,
  refOf,
  type KubeObject,
  type ObjectRef,
  type ResourceType,
  type ResourceTypes,
} from '#pkg/object';
import type { CriticalService, Named, Resource } from './critical-service.ts';

/**
 * The type that a resource names, if the server has it: by its plural, or by its kind as many write it. Short names are
 * not taken: an object under review must be recognised without asking anybody.
 */
export function typeOf(resource: Resource, types: ResourceTypes): ResourceType | undefined {
  const type = types.resolve(`${resource.resource}.${resource.group}`);
  return type && isNamedBy(resource, type) ? type : undefined;
}

/** Whether a resource, as written, is this one. */
export function isNamedBy(
  { group, resource }: Resource,
  type: { readonly group: string; readonly plural: string; readonly kind: string },
): boolean {
  const word = resource.toLowerCase();
  return group === type.group && (word === type.plural || word === type.kind.toLowerCase());
}

/** The object that is named, if the server has its kind. */
export function refTo(named: Named, types: ResourceTypes): ObjectRef | undefined {
  const type = typeOf(named, types);
  if (!type) return undefined;
  const { group, kind } = type;
  return type.namespaced
    ? { group, kind, namespace: named.namespace, name: named.name }
    : { group, kind, name: named.name };
}

/** As kubectl prints a resource: `deployments.apps`. */
export function resourceName({ group, resource }: Resource): string {
  return group ? `${resource}.${group}` : resource;
}

/** `deployments.apps storage/operator`. */
export function nameOf(named: Named): string {
  return `${resourceName(named)} ${named.namespace ? `${named.namespace}/` : ''}${named.name}`;
}

/** Where the provider lives; the namespace goes with it, and so must stay with it. */
export function namespaceOf({ provider }: CriticalService): ObjectRef | undefined {
  return provider.namespace ? { group: '', kind: 'Namespace', name: provider.namespace } : undefined;
}

/** A wish that no type fulfils, so that the answer is never old. */
export const ANY_TYPE = { group: '', kind: '' };

/** Whether this object is the provider of a service. */
export function providesFor(
  { provider, isReleased }: CriticalService,
  object: KubeObject,
  types: ResourceTypes,
): boolean {
  const ref = refTo(provider, types);
  return !isReleased && ref !== undefined && keyOf(ref) === keyOf(refOf(object));
}
