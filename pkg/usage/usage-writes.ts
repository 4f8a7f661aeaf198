import {
  numberAt,
  type KubeObject,
  type ObjectMeta,
  type ObjectRef,
  type OwnerReference,
  type Writer,
} from '#pkg/object';
import { parseUsage, type Usage } from './usage.ts';

interface WritePorts {
  readonly writer: Pick<Writer, 'patch' | 'delete'>;
}

/** Writes what a selector was resolved to. Conflicts when the usage has changed since. */
export function writeRef(
  usage: Usage,
  side: 'of' | 'by',
  found: ObjectMeta,
  ports: WritePorts,
  signal: AbortSignal,
): Promise<Usage | undefined> {
  const isElsewhere = found.namespace !== undefined && found.namespace !== usage.ref.namespace;
  const resourceRef = { name: found.name, ...(isElsewhere ? { namespace: found.namespace } : {}) };
  return change(usage, { spec: { [side]: { resourceRef } } }, ports, signal);
}

export async function addFinalizer(
  usage: Usage,
  finalizer: string,
  ports: WritePorts,
  signal: AbortSignal,
): Promise<Usage | undefined> {
  const { finalizers = [] } = usage.object.metadata;
  if (finalizers.includes(finalizer)) return usage;
  return change(usage, { metadata: { finalizers: [...finalizers, finalizer] } }, ports, signal);
}

export async function removeFinalizer(
  usage: Usage,
  finalizer: string,
  ports: WritePorts,
  signal: AbortSignal,
): Promise<void> {
  const { finalizers = [] } = usage.object.metadata;
  if (!finalizers.includes(finalizer)) return;
  const left = finalizers.filter((name) => name !== finalizer);
  await change(usage, { metadata: { finalizers: left } }, ports, signal);
}

/** Ties the life of a usage to what uses it, where Kubernetes allows it: elsewhere the garbage collector would err. */
export async function adopt(
  usage: Usage,
  owner: KubeObject,
  ports: WritePorts,
  signal: AbortSignal,
): Promise<void> {
  if (!mayOwn(owner, usage.ref)) return;
  const { ownerReferences = [] } = usage.object.metadata;
  const { uid, name } = owner.metadata;
  if (uid === undefined || ownerReferences.some((reference) => reference.uid === uid)) return;
  const reference: OwnerReference = { apiVersion: owner.apiVersion, kind: owner.kind, name, uid };
  await change(usage, { metadata: { ownerReferences: [...ownerReferences, reference] } }, ports, signal);
}

/** A namespaced owner owns only in its own namespace; anything else is deleted within a second, or ignored for ever. */
function mayOwn(owner: KubeObject, usage: ObjectRef): boolean {
  return owner.metadata.namespace === undefined || owner.metadata.namespace === usage.namespace;
}

export async function deleteUsage(usage: Usage, ports: WritePorts, signal: AbortSignal): Promise<void> {
  await ports.writer.delete(usage.ref, { uid: usage.object.metadata.uid }, signal);
}

/** The server has understood what we want and is against it: a right is missing, or a policy or a webhook says no. */
export function isRefused(error: unknown): error is Error {
  return error instanceof Error && [400, 403, 422].includes(numberAt(error, 'status') ?? 0);
}

async function change(
  usage: Usage,
  body: Readonly<Record<string, unknown>>,
  ports: WritePorts,
  signal: AbortSignal,
): Promise<Usage | undefined> {
  const { resourceVersion, uid } = usage.object.metadata;
  const metadata = { ...(body['metadata'] as object | undefined), resourceVersion, uid };
  const changed = await ports.writer.patch(usage.ref, { type: 'merge', body: { ...body, metadata } }, signal);
  return changed && parseUsage(changed);
}
