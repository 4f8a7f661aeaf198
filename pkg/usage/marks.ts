import {
  keyOf,
  type KubeObject,
  type ObjectKey,
  type ObjectRef,
  type ResourceType,
  type ResourceTypes,
  type Writer,
} from '#pkg/object';
import { namespaceOf, targetOf, typeOf } from './target.ts';
import type { Turns } from './turns.ts';
import { IN_USE_LABEL, type Usage } from './usage.ts';

const FIELD_MANAGER = 'rook-deps';

export interface MarkPorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  readonly writer: Pick<Writer, 'patch'>;
  /** One at a time on a mark: who finds it there must not lose it to one who is about to take it off. */
  readonly turns: Turns<ObjectKey>;
}

/** Everything that must not go while the used object is in use: itself, its namespace, its definition. */
export function marksOf(usage: Usage, types: ResourceTypes): readonly ObjectRef[] {
  const type = typeOf(usage.of, types);
  // The kind is gone, and with it what was used; the namespace may still be marked for it.
  if (!type) return namespaceMark(namespaceOf(usage.of, usage));
  const used = targetOf(usage.of, usage, types);
  return used ? [used, ...namespaceMark(used.namespace), definitionMark(type)] : [];
}

function namespaceMark(namespace: string | undefined): readonly ObjectRef[] {
  return namespace ? [{ group: '', kind: 'Namespace', name: namespace }] : [];
}

/** Built-in kinds have no definition of this name; marking what is not there does nothing. */
function definitionMark({ plural, group }: ResourceType): ObjectRef {
  return { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition', name: `${plural}.${group}` };
}

/** Whether a usage wants a mark. Without the object there is nothing to keep a namespace or a definition for. */
function wants(usage: Usage, ref: ObjectRef, types: ResourceTypes): boolean {
  if (usage.isReleased) return false;
  const marks = marksOf(usage, types);
  return (usage.isUsedMissing ? marks.slice(0, 1) : marks).some((mark) => keyOf(mark) === keyOf(ref));
}

export function isMarked(object: KubeObject): boolean {
  return object.metadata.labels?.[IN_USE_LABEL] === 'true';
}

/** Puts the label on, unless it is there. Returns the object; undefined when there is none. */
export async function mark(
  ref: ObjectRef,
  ports: MarkPorts,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  return ports.turns.take(keyOf(ref), async () => {
    const object = await ports.get(ref, signal);
    if (!object || isMarked(object)) return object;
    return setLabel(ref, 'true', ports, signal);
  });
}

/** Takes off those of a usage's marks that no other usage wants. */
export async function unmarkAll(
  usage: Usage,
  marks: readonly ObjectRef[],
  types: ResourceTypes,
  ports: MarkPorts & { allUsages(signal: AbortSignal): Promise<readonly Usage[]> },
  signal: AbortSignal,
): Promise<void> {
  for (const ref of marks) {
    const isWanted = async (): Promise<boolean> =>
      (await ports.allUsages(signal)).some(
        (other) => keyOf(other.ref) !== keyOf(usage.ref) && wants(other, ref, types),
      );
    await unmark(ref, isWanted, ports, signal);
  }
}

async function unmark(
  ref: ObjectRef,
  isWanted: () => Promise<boolean>,
  ports: MarkPorts,
  signal: AbortSignal,
): Promise<void> {
  await ports.turns.take(keyOf(ref), async () => {
    const object = await ports.get(ref, signal);
    if (object?.metadata.labels?.[IN_USE_LABEL] === undefined || (await isWanted())) return;
    await setLabel(ref, null, ports, signal);
    // Under another leader, or before its first turn, a usage may have come that found the label still there.
    if (await isWanted()) await setLabel(ref, 'true', ports, signal);
  });
}

function setLabel(
  ref: ObjectRef,
  value: 'true' | null,
  { writer }: MarkPorts,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const body = { metadata: { labels: { [IN_USE_LABEL]: value } } };
  return writer.patch(ref, { type: 'merge', body, fieldManager: FIELD_MANAGER }, signal);
}
