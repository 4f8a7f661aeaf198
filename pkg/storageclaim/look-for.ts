import type { KubeObject, ObjectRef } from '#pkg/object';
import { isDefined } from '#pkg/protection';
import type { StorageClaimPorts } from './ports.ts';

/** The kind of an object is defined, and the server does not have it at present. */
export class NotServedError extends Error {
  constructor(kind: string) {
    super(`the server does not have ${kind} at present`);
  }
}

/** An object, or undefined when it is surely not there: one whose kind is not served at present may well be. */
export async function lookFor(
  ref: ObjectRef,
  ports: StorageClaimPorts,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const found = await ports.get(ref, signal);
  if (found || (await ports.types(ref, signal)).find(ref)) return found;
  if (await isDefined(ref, ports, signal)) throw new NotServedError(ref.kind);
  return undefined;
}
