import { groupOf, isForbidden, isTerminating, type KubeObject, type OwnerReference } from '#pkg/object';
import type { UsagePorts } from './reconciler.ts';
import type { Usage } from './usage.ts';

/** Whether a usage and what uses the object are parts of a whole that is being taken down: the latter will follow. */
export async function isTakenDownWith(
  usage: Usage,
  using: KubeObject,
  ports: Pick<UsagePorts, 'get' | 'types'>,
  signal: AbortSignal,
): Promise<boolean> {
  const whole = sharedController(usage.object, using);
  if (!whole) return false;
  const kind = { group: groupOf(whole.apiVersion), kind: whole.kind };
  const type = (await ports.types(kind, signal)).find(kind);
  if (!type) return true;
  const namespace = type.namespaced ? usage.ref.namespace : undefined;
  try {
    const found = await ports.get({ ...kind, name: whole.name, namespace }, signal);
    return found?.metadata.uid !== whole.uid || isTerminating(found);
  } catch (error) {
    // Its kind need not be one that we may read; then the usage is taken as deleted on its own.
    if (!isForbidden(error)) throw error;
    return false;
  }
}

function sharedController(a: KubeObject, b: KubeObject): OwnerReference | undefined {
  const owner = a.metadata.ownerReferences?.find(({ controller }) => controller === true);
  const isShared = b.metadata.ownerReferences?.some(
    ({ controller, uid }) => controller === true && uid === owner?.uid,
  );
  return isShared ? owner : undefined;
}
