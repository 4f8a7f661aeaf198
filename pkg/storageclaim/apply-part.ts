import { isTerminating, type KubeObject, type OwnerReference, type ResourceType } from '#pkg/object';
import type { Composite, Part, Template } from './composite.ts';
import { contains } from './drift.ts';
import { refusalOf, type PartOutcome, type ProblemReason } from './outcome.ts';
import type { StorageClaimPorts } from './ports.ts';
import { readinessOf } from './readiness.ts';
import { composedObject, targetOf } from './template.ts';
import { describe } from './writes.ts';

export const FIELD_MANAGER = 'rook-deps-composite';

/** A template with the kind it names. */
export interface Wanted {
  readonly template: Template;
  readonly type: ResourceType;
  /** Whether the template may have changed since it was applied. */
  readonly isNew: boolean;
}

/** Makes an object what its template says, unless it is that already or is not ours. */
export async function applyPart(
  { template, type, isNew }: Wanted,
  composite: Composite,
  known: Part | undefined,
  ports: StorageClaimPorts,
  signal: AbortSignal,
): Promise<PartOutcome> {
  const object = composedObject(template, composite);
  const ref = targetOf(template, composite.ref);
  const part = { template: template.name, apiVersion: object.apiVersion, ref, uid: known?.uid };
  const failed = (reason: ProblemReason, message: string): PartOutcome => ({
    part: { ...part, isReady: false, message },
    problem: { reason, message: `${describe(ref)}: ${message}` },
  });
  try {
    const live = await ports.get(ref, signal);
    const stranger = live && strangerIn(live, composite, known);
    if (stranger) return failed('NotOurs', stranger);
    // It may have gone with its composite, while we looked at others.
    if (!live && known?.uid !== undefined && (await isGoing(composite, ports, signal)))
      return { part: known };
    const isDue = !live || (!isTerminating(live) && (isNew || !contains(live, object)));
    const now = isDue
      ? await ports.writer.apply(asSeen(object, live), { fieldManager: FIELD_MANAGER, force: true }, signal)
      : live;
    return { part: { ...part, uid: now.metadata.uid, ...readinessOf(now) } };
  } catch (error) {
    const refusal = refusalOf(error, type);
    if (!refusal) throw error;
    return failed(refusal.reason, refusal.message);
  }
}

/** That of an empty store. */
const NO_VERSION = '1';

/**
 * An object that has changed since, or is gone, makes it a conflict: what was orphaned must not get its owner back, with
 * which the garbage collector would take it. Likewise one that somebody makes at this very moment: without a UID the server
 * ignores the version if there is no object, and no object has this one.
 */
export function asSeen(object: KubeObject, live: KubeObject | undefined): KubeObject {
  if (!live) return { ...object, metadata: { ...object.metadata, resourceVersion: NO_VERSION } };
  const { uid = '', resourceVersion = '' } = live.metadata;
  return { ...object, metadata: { ...object.metadata, uid, resourceVersion } };
}

async function isGoing(
  { ref, uid }: Composite,
  ports: StorageClaimPorts,
  signal: AbortSignal,
): Promise<boolean> {
  const now = await ports.get(ref, signal);
  return now?.metadata.uid !== uid || isTerminating(now);
}

/** Why an object of this name must not be touched. */
function strangerIn(live: KubeObject, { uid }: Composite, known: Part | undefined): string | undefined {
  const controller = controllerOf(live);
  if (controller?.uid === uid) return undefined;
  if (controller) return `is controlled by ${controller.kind} "${controller.name}", and is left alone`;
  // Whoever took the reference off wants to keep the object when the composite goes.
  if (known?.uid !== undefined && known.uid === live.metadata.uid)
    return 'has lost its owner reference to this composite, so it is left alone; remove its entry, or give it the reference back';
  return 'was there before and does not belong to this composite, so it is left alone';
}

export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
