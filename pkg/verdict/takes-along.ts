import { refOf, ROOK_KINDS, sameKind, type KubeObject, type ObjectRef, type ResourceType } from '#pkg/object';

/** All resources of a kind, in one namespace or in all. */
export interface ResourcesOf {
  readonly kind: ResourceType;
  readonly namespace?: string;
}

/** What is deleted together with an object that holds others. */
export interface TakenAlong {
  /** Resources of Rook's that go. */
  readonly resources: readonly ResourcesOf[];
  /** Whether an object goes, of whatever kind: it holds nothing then. */
  goes(ref: Pick<ObjectRef, 'group' | 'kind' | 'namespace'>): boolean;
}

/** What a Namespace, or a definition of Rook's, takes along when it is deleted; undefined for anything else. */
export function takenAlongBy(object: KubeObject): TakenAlong | undefined {
  const { group, kind, name } = refOf(object);
  if (group === '' && kind === 'Namespace') {
    return {
      resources: ROOK_KINDS.map((type) => ({ kind: type, namespace: name })),
      goes: ({ namespace }) => namespace === name,
    };
  }
  if (group !== 'apiextensions.k8s.io' || kind !== 'CustomResourceDefinition') return undefined;
  const defined = ROOK_KINDS.find((type) => `${type.plural}.${type.group}` === name);
  return defined && { resources: [{ kind: defined }], goes: (ref) => sameKind(ref, defined) };
}
