import type { ObjectRef, ResourceTypes } from '#pkg/object';
import type { CriticalService, Resource } from './critical-service.ts';
import { namespaceOf, refTo, resourceName, typeOf } from './resources.ts';

export interface WarningPorts {
  /** Whether we may delete this ourselves. */
  mayWeDelete(ref: ObjectRef, signal: AbortSignal): Promise<boolean>;
}

/** Lines that whoever makes a service should see, though it is let in. */
export async function warningsFor(
  service: CriticalService,
  types: ResourceTypes,
  ports: WarningPorts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const named: readonly [string, Resource][] = [
    ['spec.provider', service.provider],
    ...service.criteria.map((criterion, at): [string, Resource] => [`spec.criteria[${at}]`, criterion]),
  ];
  const lines = named.flatMap(([field, resource]) => nameWarning(field, resource, types));
  return [...lines, ...(await replayWarnings(service, types, ports, signal))];
}

function nameWarning(field: string, resource: Resource, types: ResourceTypes): readonly string[] {
  const type = typeOf(resource, types);
  if (!type)
    return [
      `${field}: the server has no ${resourceName(resource)} at present: until it does, nothing is waited for`,
    ];
  return type.plural === resource.resource
    ? []
    : [`${field}: "${resource.resource}" is taken for the resource "${type.plural}"`];
}

/** What is replayed is deleted by us, so we need the right as well as whoever asked. */
async function replayWarnings(
  service: CriticalService,
  types: ResourceTypes,
  ports: WarningPorts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (!service.replayDeletion) return [];
  const targets = [refTo(service.provider, types), namespaceOf(service)].filter((ref) => ref !== undefined);
  const lacking: string[] = [];
  for (const ref of targets) {
    const type = types.find(ref);
    if (type && !(await ports.mayWeDelete(ref, signal)))
      lacking.push(resourceName({ group: type.group, resource: type.plural }));
  }
  if (lacking.length === 0) return [];
  return [
    `spec.replayDeletion: rook-deps may not delete ${lacking.join(' and ')} (grant it: kubectl rook-deps install --grant ${lacking.join(',')})`,
  ];
}
