import { isTerminating, type KubeObject } from '#pkg/object';
import { controllerOf } from './apply-part.ts';
import { COMPOSITE_LABEL, type Composite, type Part } from './composite.ts';
import { isDenied, lacksRight, messageOf, refusalOf, type PartOutcome } from './outcome.ts';
import type { StorageClaimPorts } from './ports.ts';
import { change, describe } from './writes.ts';

/** Deletes what a composite was composed of and is no longer, if it is still the composite's. */
export async function removePart(
  part: Part,
  composite: Composite,
  ports: StorageClaimPorts,
  signal: AbortSignal,
): Promise<PartOutcome> {
  const kept = (message: string): Part => ({ ...part, isReady: false, message });
  try {
    const object = await ports.get(part.ref, signal);
    if (!object) return {};
    const controller = controllerOf(object);
    if (!controller) return {};
    if (controller.uid !== composite.uid) {
      const message = `is controlled by ${controller.kind} "${controller.name}", so it is not deleted`;
      return {
        part: kept(message),
        problem: { reason: 'NotOurs', message: `${describe(part.ref)}: ${message}` },
      };
    }
    if (!isTerminating(object)) await remove(part, object, ports, signal);
    return { part: kept('is being deleted') };
  } catch (error) {
    if (!isDenied(error)) throw error;
    // What may not be read may not be made, either.
    if (part.uid === undefined && lacksRight(error)) return {};
    const type = (await ports.types(part.ref, signal)).find(part.ref);
    const message = `cannot be deleted: ${(type && refusalOf(error, type)?.message) ?? messageOf(error)}`;
    return {
      part: kept(message),
      problem: { reason: 'DeletionRefused', message: `${describe(part.ref)} ${message}` },
    };
  }
}

/** The label goes first: from then on nobody takes it for a part. Somebody else may take it over in between. */
async function remove(
  part: Part,
  object: KubeObject,
  ports: StorageClaimPorts,
  signal: AbortSignal,
): Promise<void> {
  const isLabelled = object.metadata.labels?.[COMPOSITE_LABEL] !== undefined;
  const now = isLabelled
    ? await change(object, { metadata: { labels: { [COMPOSITE_LABEL]: null } } }, ports, signal)
    : object;
  if (!now) return;
  const { uid, resourceVersion } = now.metadata;
  await ports.writer.delete(part.ref, { uid, resourceVersion, propagationPolicy: 'Foreground' }, signal);
}
