import {
  allow,
  badRequest,
  forbidden,
  invalid,
  type AdmissionHandler,
  type AdmissionRequest,
  type Answer,
} from '#pkg/admission';
import { keyOf, type GroupKind, type ObjectRef, type ResourceType, type ResourceTypes } from '#pkg/object';
import { cycleWith } from './cycle.ts';
import { isApiVersion, targetOf, typeOf, typesFor } from './target.ts';
import { parseUsage, type Side, type Usage } from './usage.ts';

export interface UsageAdmissionPorts {
  types(wanted: GroupKind, signal: AbortSignal): Promise<ResourceTypes>;
  allUsages(signal: AbortSignal): Promise<readonly Usage[]>;
  /** Whether this user may delete the object; without a name, any object of the kind in the namespace. */
  mayDelete(
    user: AdmissionRequest['userInfo'],
    target: Omit<ObjectRef, 'name'> & { readonly name?: string | undefined },
    signal: AbortSignal,
  ): Promise<boolean>;
}

/** Lets in only usages that can work, by people who could delete what they want to keep. */
export function usageAdmission(ports: UsageAdmissionPorts): AdmissionHandler {
  return async ({ operation, object, oldObject, userInfo }, signal) => {
    if (operation !== 'CREATE' && operation !== 'UPDATE')
      return badRequest(`unexpected operation "${operation}"`);
    if (!object) return badRequest('a usage without its object cannot be judged');
    const usage = parseUsage(object);
    // Before all else: a usage whose kind is gone must still get rid of its finalizer.
    if (operation === 'UPDATE' && oldObject && asksForNothingNew(usage, parseUsage(oldObject)))
      return allow();
    const types = await typesFor(usage, ports, signal);
    const problem = sideProblem(usage, 'of', types) ?? sideProblem(usage, 'by', types);
    if (problem) return problem;
    const loop = await findLoop(usage, types, ports, signal);
    if (loop) return invalid(loop, 'spec');
    return mayProtect(usage, types, userInfo, ports, signal);
  };
}

function sideProblem(usage: Usage, name: 'of' | 'by', types: ResourceTypes): Answer | undefined {
  const side = usage[name];
  if (!side) return undefined;
  if (!isApiVersion(side.apiVersion))
    return invalid(`unexpected GroupVersion string: ${side.apiVersion}`, `spec.${name}.apiVersion`);
  const type = typeOf(side, types);
  if (!type) {
    const message = `the server doesn't have a kind "${side.kind}" in "${side.apiVersion}"; 'kubectl api-resources' lists what it has`;
    return invalid(message, `spec.${name}.kind`);
  }
  const namespace = side.namespace ?? side.selector?.namespace;
  if (!type.namespaced && namespace !== undefined) {
    return invalid(`${type.kind} is cluster-scoped: leave the namespace out`, `spec.${name}`);
  }
  if (type.namespaced && namespace === undefined && usage.ref.namespace === undefined) {
    return invalid(`${type.kind} is namespaced: say in which namespace it is`, `spec.${name}`);
  }
  return undefined;
}

async function findLoop(
  usage: Usage,
  types: ResourceTypes,
  ports: UsageAdmissionPorts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const used = targetOf(usage.of, usage, types);
  const using = usage.by && targetOf(usage.by, usage, types);
  if (!used || !using) return undefined;
  if (keyOf(used) === keyOf(using)) return `${used.kind} "${used.name}" cannot use itself`;
  const cycle = cycleWith(usage, await ports.allUsages(signal), types);
  return (
    cycle && `these would use each other in a circle, and none could ever be deleted: ${cycle.join(' → ')}`
  );
}

async function mayProtect(
  usage: Usage,
  types: ResourceTypes,
  user: AdmissionRequest['userInfo'],
  ports: UsageAdmissionPorts,
  signal: AbortSignal,
): Promise<Answer> {
  const type = typeOf(usage.of, types);
  if (!type) return allow();
  const target = permissionTarget(usage.of, usage, type);
  if (await ports.mayDelete(user, target, signal)) return allow();
  const what = `${type.plural}${type.group ? `.${type.group}` : ''}${target.name ? ` "${target.name}"` : ''}`;
  const where = target.namespace ? ` in namespace "${target.namespace}"` : '';
  return forbidden(
    `to protect an object one must be allowed to delete it, and user "${user.username}" cannot delete ${what}${where}`,
  );
}

function permissionTarget(
  side: Side,
  usage: Usage,
  type: ResourceType,
): Omit<ObjectRef, 'name'> & { readonly name?: string | undefined } {
  const namespace = type.namespaced
    ? (side.namespace ?? side.selector?.namespace ?? usage.ref.namespace)
    : undefined;
  return { group: type.group, kind: type.kind, namespace, name: side.name };
}

/** Turning the replay on means to delete the object, perhaps: not everybody who may change a usage may. */
function asksForNothingNew(usage: Usage, old: Usage): boolean {
  const isSameTarget = JSON.stringify([usage.of, usage.by]) === JSON.stringify([old.of, old.by]);
  return isSameTarget && (old.replayDeletion || !usage.replayDeletion);
}
