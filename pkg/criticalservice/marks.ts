import { keyOf, refOf, type KubeObject, type ObjectRef, type ResourceTypes } from '#pkg/object';
import { mark, unmark, type MarkPorts } from '#pkg/protection';
import { CRITICAL_LABEL, type CriticalService } from './critical-service.ts';
import { namespaceOf, refTo } from './resources.ts';

export interface CriticalMarkPorts extends MarkPorts {
  /** As the server has them now. */
  allServices(signal: AbortSignal): Promise<readonly CriticalService[]>;
}

/** What a service keeps: its provider, and the namespace that the provider is in. */
export function marksOf(service: CriticalService, types: ResourceTypes): readonly ObjectRef[] {
  return [refTo(service.provider, types), namespaceOf(service)].filter((ref) => ref !== undefined);
}

/** Whether an object is marked for the sake of a service. */
export function isMarkedFor(service: CriticalService, object: KubeObject, types: ResourceTypes): boolean {
  const key = keyOf(refOf(object));
  return !service.isReleased && marksOf(service, types).some((ref) => keyOf(ref) === key);
}

export async function markAll(
  service: CriticalService,
  types: ResourceTypes,
  ports: CriticalMarkPorts,
  signal: AbortSignal,
): Promise<void> {
  for (const ref of marksOf(service, types)) await mark(ref, CRITICAL_LABEL, ports, signal);
}

/** Takes off those marks that no other service wants; one without its provider wants none. */
export async function unmarkAll(
  service: CriticalService,
  types: ResourceTypes,
  ports: CriticalMarkPorts,
  signal: AbortSignal,
): Promise<void> {
  for (const ref of marksOf(service, types)) {
    const isWanted = async (): Promise<boolean> =>
      (await ports.allServices(signal)).some(
        (other) =>
          keyOf(other.ref) !== keyOf(service.ref) &&
          !other.isReleased &&
          other.providerUid !== undefined &&
          marksOf(other, types).some((mark) => keyOf(mark) === keyOf(ref)),
      );
    await unmark(ref, CRITICAL_LABEL, isWanted, ports, signal);
  }
}
