import {
  groupOf,
  isForbidden,
  isTerminating,
  type GroupKind,
  type KubeObject,
  type ObjectRef,
  type OwnerReference,
  type ResourceTypes,
} from '#pkg/object';
import type { Attempt } from './attempt.ts';
import { GARBAGE_COLLECTOR, isOurs, NAMESPACE_CONTROLLER } from './patient.ts';

export interface DuePorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  types(wanted: GroupKind, signal: AbortSignal): Promise<ResourceTypes>;
}

/**
 * Whether who asked would still ask. People have made up their minds; those who act for others may find that there is
 * no more reason: an object may have been saved by taking its owner references off. What cannot be seen is no reason:
 * they will come back themselves.
 */
export async function isStillDue(
  { user }: Attempt,
  object: KubeObject,
  ports: DuePorts,
  signal: AbortSignal,
): Promise<boolean> {
  const isForCollector = user.username === GARBAGE_COLLECTOR || (isOurs(user) && isOwned(object));
  if (isForCollector) return isGarbage(object, ports, signal);
  if (user.username !== NAMESPACE_CONTROLLER) return true;
  const name = object.metadata.namespace ?? '';
  const namespace = await ports.get({ group: '', kind: 'Namespace', name }, signal);
  return namespace !== undefined && isTerminating(namespace);
}

export function isOwned({ metadata }: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).length > 0;
}

/** As the garbage collector sees it: there were owners, and none of them stands any more. */
async function isGarbage(object: KubeObject, ports: DuePorts, signal: AbortSignal): Promise<boolean> {
  const { ownerReferences = [] } = object.metadata;
  for (const owner of ownerReferences) if (await mayStand(owner, object, ports, signal)) return false;
  return ownerReferences.length > 0;
}

async function mayStand(
  owner: OwnerReference,
  { metadata }: KubeObject,
  ports: DuePorts,
  signal: AbortSignal,
): Promise<boolean> {
  const kind = { group: groupOf(owner.apiVersion), kind: owner.kind };
  const type = (await ports.types(kind, signal)).find(kind);
  if (!type) return true;
  const namespace = type.namespaced ? metadata.namespace : undefined;
  try {
    const found = await ports.get({ ...kind, name: owner.name, namespace }, signal);
    if (found?.metadata.uid !== owner.uid) return false;
    const isGoing = found.metadata.finalizers?.includes('foregroundDeletion') === true;
    return !(isTerminating(found) && isGoing);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return true;
  }
}
