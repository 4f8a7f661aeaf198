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

/** The marks that only this usage wants: `others` are all usages that still hold something. */
export function marksToRemove(
  usage: Usage,
  others: readonly Usage[],
  types: ResourceTypes,
): readonly ObjectRef[] {
  const wanted = new Set(others.flatMap((other) => marksOf(other, types)).map(keyOf));
  return marksOf(usage, types).filter((mark) => !wanted.has(keyOf(mark)));
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

/** Takes the label off, unless somebody wants it. */
export async function unmark(
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
