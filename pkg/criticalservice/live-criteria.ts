import {
  isForbidden,
  isTerminating,
  numberAt,
  refOf,
  textAt,
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
import { ANY_TYPE, isNamedBy, refTo, resourceName, typeOf } from './resources.ts';

/** Those that have a finalizer, as the server has them now. */
export type Holders = (kind: GroupKind, finalizer: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface LivePorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  types(wanted: GroupKind, signal: AbortSignal): Promise<ResourceTypes>;
  readonly holders: Holders;
  /** All definitions of kinds, as the server has them now. Throws when they could not be read. */
  definitions(signal: AbortSignal): Promise<readonly KubeObject[]>;
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
  try {
    return (await isDefined(criterion, ports, signal))
      ? unknown(criterion, NOT_SERVED)
      : metWithoutType(criterion);
  } catch (error) {
    signal.throwIfAborted();
    return unknown(criterion, whyNot(error, 'customresourcedefinitions.apiextensions.k8s.io'));
  }
}

export const NOT_SERVED = 'it is defined, and not served at present';

/** By what a definition says, not by its name: a criterion may name the kind. */
export async function isDefined(
  resource: Resource,
  ports: Pick<LivePorts, 'definitions'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (resource.group === '') return false;
  return (await ports.definitions(signal)).some((one) => isNamedBy(resource, definedBy(one)));
}

function definedBy(definition: KubeObject): {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
} {
  const text = (...path: readonly string[]): string => textAt(definition, 'spec', ...path) ?? '';
  return { group: text('group'), plural: text('names', 'plural'), kind: text('names', 'kind') };
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
