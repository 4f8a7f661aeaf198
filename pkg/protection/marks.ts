import { keyOf, type KubeObject, type ObjectKey, type ObjectRef, type Writer } from '#pkg/object';
import type { Turns } from './turns.ts';

/** On what must not go without being asked about: the webhook is called for it. */
export const IN_USE_LABEL = 'rook-deps.io/in-use';

const FIELD_MANAGER = 'rook-deps';

export interface MarkPorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  readonly writer: Pick<Writer, 'patch'>;
  /** One at a time on a mark: who finds it there must not lose it to one who is about to take it off. */
  readonly turns: Turns<ObjectKey>;
}

export function hasMark(object: KubeObject, label: string): boolean {
  return object.metadata.labels?.[label] === 'true';
}

/** Puts the label on, unless it is there. Returns the object; undefined when there is none. */
export async function mark(
  ref: ObjectRef,
  label: string,
  ports: MarkPorts,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  return ports.turns.take(keyOf(ref), async () => {
    const object = await ports.get(ref, signal);
    if (!object || hasMark(object, label)) return object;
    return setLabel(ref, label, 'true', ports, signal);
  });
}

/** Takes the label off, unless somebody wants it. */
export async function unmark(
  ref: ObjectRef,
  label: string,
  isWanted: () => Promise<boolean>,
  ports: MarkPorts,
  signal: AbortSignal,
): Promise<void> {
  await ports.turns.take(keyOf(ref), async () => {
    const object = await ports.get(ref, signal);
    if (object?.metadata.labels?.[label] === undefined || (await isWanted())) return;
    await setLabel(ref, label, null, ports, signal);
    // Under another leader, or before its first turn, somebody may have come who found the label still there.
    if (await isWanted()) await setLabel(ref, label, 'true', ports, signal);
  });
}

function setLabel(
  ref: ObjectRef,
  label: string,
  value: 'true' | null,
  { writer }: MarkPorts,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const body = { metadata: { labels: { [label]: value } } };
  return writer.patch(ref, { type: 'merge', body, fieldManager: FIELD_MANAGER }, signal);
}
