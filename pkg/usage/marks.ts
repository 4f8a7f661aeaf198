import {
  keyOf,
  type KubeObject,
  type ObjectRef,
  type ResourceType,
  type ResourceTypes,
  type Writer,
} from '#pkg/object';
import { kindOf, targetOf } from './target.ts';
import { IN_USE_LABEL, type Usage } from './usage.ts';

const FIELD_MANAGER = 'rook-deps';

export interface MarkPorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  readonly writer: Pick<Writer, 'patch'>;
}

/** Everything that must not go while the used object is in use: itself, its namespace, its definition. */
export function marksOf(usage: Usage, types: ResourceTypes): readonly ObjectRef[] {
  const used = targetOf(usage.of, usage, types);
  const type = types.find(kindOf(usage.of));
  if (!used || !type) return [];
  return [used, ...namespaceMark(used), definitionMark(type)];
}

function namespaceMark({ namespace }: ObjectRef): readonly ObjectRef[] {
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
  const object = await ports.get(ref, signal);
  if (!object || isMarked(object)) return object;
  return setLabel(ref, 'true', ports, signal);
}

export async function unmark(ref: ObjectRef, ports: MarkPorts, signal: AbortSignal): Promise<void> {
  const object = await ports.get(ref, signal);
  if (object && object.metadata.labels?.[IN_USE_LABEL] !== undefined)
    await setLabel(ref, null, ports, signal);
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
