import {
  allow,
  badRequest,
  forbidden,
  invalid,
  unavailable,
  type AdmissionHandler,
  type AdmissionRequest,
  type Answer,
} from '#pkg/admission';
import type { GroupKind, KubeObject, ObjectRef, ResourceTypes } from '#pkg/object';
import { isServiceKind, parseCriticalService, type CriticalService, type Named } from './critical-service.ts';
import { deadlockOf } from './deadlock.ts';
import { ANY_TYPE, nameOf, refTo, resourceName, typeOf } from './resources.ts';
import { warningsFor } from './warnings.ts';

export interface CriticalAdmissionPorts {
  types(wanted: GroupKind, signal: AbortSignal): Promise<ResourceTypes>;
  /** As the server has them now. */
  allServices(signal: AbortSignal): Promise<readonly CriticalService[]>;
  mayDelete(user: AdmissionRequest['userInfo'], ref: ObjectRef, signal: AbortSignal): Promise<boolean>;
  /** Whether we may delete this ourselves. */
  mayWeDelete(ref: ObjectRef, signal: AbortSignal): Promise<boolean>;
}

/** Lets in only services that can work, by people who could delete what they want to keep. */
export function criticalServiceAdmission(ports: CriticalAdmissionPorts): AdmissionHandler {
  return async ({ operation, object, oldObject, userInfo }, signal) => {
    if (operation !== 'CREATE' && operation !== 'UPDATE')
      return badRequest(`unexpected operation "${operation}"`);
    if (!object) return badRequest('a CriticalService without its object cannot be judged');
    // Before all else: one whose kinds are gone must still get rid of its finalizer.
    if (operation === 'UPDATE' && oldObject && sameSpec(object, oldObject)) return allow();
    const service = parseCriticalService(object);
    const types = await ports.types(ANY_TYPE, signal);
    // It was let in when there was such a kind, and cannot have changed: what is left is to let go.
    if (operation === 'UPDATE' && isGone(service.provider, types)) return allow();
    const problem =
      providerProblem(service, types) ??
      criteriaProblem(service, types) ??
      deadlock(service, types, await ports.allServices(signal));
    if (problem) return problem;
    const refused = await rightsProblem(service, types, userInfo, ports, signal);
    return refused ?? allow({ warnings: await warningsFor(service, types, ports, signal) });
  };
}

/** Not merely unknown at present. */
function isGone({ group, resource }: Named, types: ResourceTypes): boolean {
  return !typeOf({ group, resource }, types) && types.failureOf({ group, kind: resource }) === undefined;
}

function providerProblem({ provider }: CriticalService, types: ResourceTypes): Answer | undefined {
  const failure = types.failureOf({ group: provider.group, kind: provider.resource });
  const type = typeOf(provider, types);
  if (!type && failure) return unavailable(`the provider cannot be looked for: ${failure}`);
  if (!type) return invalid(unknownResource(provider, types), 'spec.provider.resource');
  if (isServiceKind(type)) return invalid('a CriticalService cannot be a provider', 'spec.provider');
  if (!isAskedAbout(type))
    return invalid(
      `the deletion of ${resourceName({ ...type, resource: type.plural })} is not submitted to our webhook, so none can be kept`,
      'spec.provider.resource',
    );
  return scopeProblem(provider, type, 'spec.provider');
}

/** Servers ask no webhook about what governs admission itself; and ours is not asked about copies of a Service. */
function isAskedAbout({ group, kind }: GroupKind): boolean {
  const isCopy =
    kind === 'Endpoints' ? group === '' : kind === 'EndpointSlice' && group === 'discovery.k8s.io';
  return group !== 'admissionregistration.k8s.io' && !isCopy;
}

function unknownResource({ group, resource }: Named, types: ResourceTypes): string {
  const near = types.resolve(`${resource}.${group}`) ?? types.resolve(resource);
  const hint = near
    ? `did you mean group "${near.group}", resource "${near.plural}"?`
    : `'kubectl api-resources' lists what it has`;
  return `the server doesn't have a resource "${resource}" in group "${group}"; ${hint}`;
}

/** Of kinds that do not exist yet nothing is known: definitions may come later than the service. */
function criteriaProblem({ criteria }: CriticalService, types: ResourceTypes): Answer | undefined {
  for (const [at, criterion] of criteria.entries()) {
    const type = typeOf(criterion, types);
    if (criterion.type === 'Finalizer' || !type) continue;
    const problem = scopeProblem(criterion, type, `spec.criteria[${at}].specificResource`);
    if (problem) return problem;
  }
  return undefined;
}

function scopeProblem(
  { namespace }: Named,
  type: { readonly plural: string; readonly namespaced: boolean },
  field: string,
): Answer | undefined {
  if (type.namespaced && !namespace)
    return invalid(`${type.plural} are namespaced: say in which namespace it is`, `${field}.namespace`);
  if (!type.namespaced && namespace)
    return invalid(`${type.plural} are cluster-scoped: leave the namespace out`, `${field}.namespace`);
  return undefined;
}

function deadlock(
  service: CriticalService,
  types: ResourceTypes,
  others: readonly CriticalService[],
): Answer | undefined {
  const circle = deadlockOf(service, others, types);
  return circle === undefined ? undefined : invalid(circle, 'spec.criteria');
}

async function rightsProblem(
  { provider }: CriticalService,
  types: ResourceTypes,
  user: AdmissionRequest['userInfo'],
  ports: CriticalAdmissionPorts,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const ref = refTo(provider, types);
  if (!ref || (await ports.mayDelete(user, ref, signal))) return undefined;
  return forbidden(
    `to keep an object one must be allowed to delete it, and user "${user.username}" cannot delete ${nameOf(provider)}`,
  );
}

function sameSpec(a: KubeObject, b: KubeObject): boolean {
  return JSON.stringify(a['spec']) === JSON.stringify(b['spec']);
}
