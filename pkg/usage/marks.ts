import { keyOf, type KubeObject, type ObjectRef, type ResourceType, type ResourceTypes } from '#pkg/object';
import { hasMark, IN_USE_LABEL, unmark, type MarkPorts, type Wants } from '#pkg/protection';
import { namespaceOf, targetOf, typeOf } from './target.ts';
import { CLUSTER_USAGE, USAGE, type Usage } from './usage.ts';

/** What must not go while the used object is in use: itself, its namespace, its definition, and that of the usage. */
export function marksOf(usage: Usage, types: ResourceTypes): readonly ObjectRef[] {
  const type = typeOf(usage.of, types);
  // The kind is gone, and with it what was used; the namespace may still be marked for it.
  if (!type) return namespaceMark(namespaceOf(usage.of, usage));
  const used = targetOf(usage.of, usage, types);
  const own = usage.ref.kind === USAGE.kind ? USAGE : CLUSTER_USAGE;
  return used ? [used, ...namespaceMark(used.namespace), ...[type, own].map(definitionMark)] : [];
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
  return hasMark(object, IN_USE_LABEL);
}

/** Takes off those of a usage's marks that nobody else wants. */
export async function unmarkAll(
  usage: Usage,
  marks: readonly ObjectRef[],
  types: ResourceTypes,
  ports: MarkPorts & {
    allUsages(signal: AbortSignal): Promise<readonly Usage[]>;
    readonly isWantedElsewhere: Wants;
  },
  signal: AbortSignal,
): Promise<void> {
  for (const ref of marks) {
    const isWanted = async (): Promise<boolean> =>
      (await ports.allUsages(signal)).some(
        (other) => keyOf(other.ref) !== keyOf(usage.ref) && wants(other, ref, types),
      ) || (await ports.isWantedElsewhere(ref, signal));
    await unmark(ref, IN_USE_LABEL, isWanted, ports, signal);
  }
}
