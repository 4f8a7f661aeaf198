import { isRecord, recordAt, refOf, type KubeObject, type ObjectRef, type Writer } from '#pkg/object';

interface WritePorts {
  readonly writer: Pick<Writer, 'patch'>;
}

/** Writes these parts of a status, unless they are there already: at rest nothing is written. */
export async function writeStatus(
  object: KubeObject,
  status: Readonly<Record<string, unknown>>,
  { writer }: WritePorts,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const old = recordAt(object, 'status');
  const isSame = Object.entries(status).every(
    ([name, value]) => ordered(old[name]) === ordered(value === null ? undefined : value),
  );
  if (isSame) return object;
  const body = { metadata: { uid: object.metadata.uid }, status };
  return writer.patch(refOf(object), { type: 'merge', body, subresource: 'status' }, signal);
}

/** Changes an object that is still as it was read; a conflict otherwise. */
export async function change(
  object: KubeObject,
  body: Readonly<Record<string, unknown>>,
  { writer }: WritePorts,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { uid, resourceVersion } = object.metadata;
  const metadata = { ...(body['metadata'] as object | undefined), uid, resourceVersion };
  return writer.patch(refOf(object), { type: 'merge', body: { ...body, metadata } }, signal);
}

/** Text in which the order of fields does not matter. */
function ordered(value: unknown): string {
  return JSON.stringify(value, (_name, field: unknown) =>
    isRecord(field)
      ? Object.fromEntries(
          Object.keys(field)
            .sort()
            .map((name) => [name, field[name]]),
        )
      : field,
  );
}

export function describe({ kind, namespace, name }: ObjectRef): string {
  return `${kind} "${namespace ? `${namespace}/` : ''}${name}"`;
}
