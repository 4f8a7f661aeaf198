import type { KubeObject, ObjectRef, Writer } from '#pkg/object';

/** Conflicts when the object has changed since it was read: whoever writes whole statuses must not lose what is theirs. */
export function patchStatus(
  ref: ObjectRef,
  { metadata: { uid, resourceVersion } }: KubeObject,
  status: Readonly<Record<string, unknown>>,
  { writer }: { readonly writer: Pick<Writer, 'patch'> },
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const body = { metadata: { uid, resourceVersion }, status };
  return writer.patch(ref, { type: 'merge', body, subresource: 'status' }, signal);
}
