import {
  isForbidden,
  isTerminating,
  numberAt,
  refOf,
  type GroupKind,
  type KubeObject,
  type ObjectRef,
  type ResourceTypes,
} from '#pkg/object';
import {
  metWithoutType,
  standingOfFinalizer,
  standingOfResource,
  unknown,
  type Standing,
} from './criteria.ts';
import type { Criterion, Resource } from './critical-service.ts';
import { ANY_TYPE, refTo, resourceName, typeOf } from './resources.ts';

/** Those that have a finalizer, as the server has them now. */
export type Holders = (kind: GroupKind, finalizer: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface LivePorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  types(wanted: GroupKind, signal: AbortSignal): Promise<ResourceTypes>;
  readonly holders: Holders;
}

/** How a criterion stands now. What cannot be looked at is unknown; only a server that cannot be reached is thrown. */
export async function lookAt(criterion: Criterion, ports: LivePorts, signal: AbortSignal): Promise<Standing> {
  const types = await ports.types(ANY_TYPE, signal);
  const type = typeOf(criterion, types);
  if (!type) return lookForType(criterion, types, ports, signal);
  try {
    if (criterion.type === 'Finalizer') {
      const names = await ports.holders(type, criterion.finalizerName, signal);
      return standingOfFinalizer(criterion, names.length, names);
    }
    if (type.namespaced && !criterion.namespace) return unknown(criterion, 'no namespace is given');
    const ref = refTo(criterion, types);
    const found = ref && (await ports.get(ref, signal));
    return standingOfResource(
      criterion,
      !found ? 'absent' : isTerminating(found) ? 'terminating' : 'present',
    );
  } catch (error) {
    signal.throwIfAborted();
    // Gone since we were told of it.
    if (numberAt(error, 'status') === 404) return lookForType(criterion, types, ports, signal);
    return unknown(criterion, whyNot(error, resourceName({ ...criterion, resource: type.plural })));
  }
}

/** What is not served at the moment may still be there: its group may be down, its definition just be made. */
async function lookForType(
  criterion: Criterion,
  types: ResourceTypes,
  ports: LivePorts,
  signal: AbortSignal,
): Promise<Standing> {
  const failure = types.failureOf({ group: criterion.group, kind: criterion.resource });
  if (failure) return unknown(criterion, failure);
  return (await isDefined(criterion, ports, signal))
    ? unknown(criterion, NOT_SERVED)
    : metWithoutType(criterion);
}

export const NOT_SERVED = 'it is defined, and not served at present';

export async function isDefined(
  { group, resource }: Resource,
  ports: Pick<LivePorts, 'get'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (group === '') return false;
  const name = `${resource.toLowerCase()}.${group}`;
  const definition = { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition', name };
  return (await ports.get(definition, signal)) !== undefined;
}

/** With the command that helps, where there is one. */
export function whyNot(error: unknown, resource: string): string {
  const why = error instanceof Error ? error.message : String(error);
  return isForbidden(error) ? `${why} (grant it: kubectl rook-deps install --grant ${resource})` : why;
}

/** As a list of holders names an object. */
export function holderName(object: KubeObject): string {
  const { namespace, name } = refOf(object);
  return namespace ? `${namespace}/${name}` : name;
}
