import {
  destroysData,
  isRookKind,
  isTerminating,
  isTrueAt,
  listAt,
  refOf,
  ROOK_KINDS,
  sameKind,
  textAt,
  type KubeObject,
  type ObjectRef,
  type ResourceType,
} from '#pkg/object';

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

/**
 * What a Namespace, a definition of Rook's, or a cluster that is to be destroyed takes along when it is deleted; undefined
 * for anything else. Once such a cluster is being deleted, it waits for what is in it like any other.
 */
export function takenAlongBy(object: KubeObject): TakenAlong | undefined {
  const { group, kind, name } = refOf(object);
  if (group === '' && kind === 'Namespace') {
    return {
      resources: ROOK_KINDS.map((type) => ({ kind: type, namespace: name })),
      goes: ({ namespace }) => namespace === name,
    };
  }
  const { namespace } = object.metadata;
  if (destroysData(object) && !isTerminating(object)) {
    return {
      resources: ROOK_KINDS.map((type) => ({ kind: type, ...(namespace ? { namespace } : {}) })),
      goes: (ref) => isRookKind(ref) && ref.namespace === namespace,
    };
  }
  if (group !== 'apiextensions.k8s.io' || kind !== 'CustomResourceDefinition') return undefined;
  const defined = ROOK_KINDS.find((type) => `${type.plural}.${type.group}` === name) ?? laterKind(object);
  return defined && { resources: [{ kind: defined }], goes: (ref) => sameKind(ref, defined) };
}

/** A kind of Rook's that no rule knows yet, as its definition says. */
function laterKind(definition: KubeObject): ResourceType | undefined {
  const text = (...path: readonly string[]): string => textAt(definition, 'spec', ...path) ?? '';
  const [group, kind, plural] = [text('group'), text('names', 'kind'), text('names', 'plural')];
  const version = listAt(definition, 'spec', 'versions').find((one) => isTrueAt(one, 'served'));
  if (!isRookKind({ group, kind }) || !kind || !plural) return undefined;
  return {
    group,
    kind,
    plural,
    version: textAt(version, 'name') ?? '',
    singular: text('names', 'singular'),
    shortNames: [],
    namespaced: text('scope') === 'Namespaced',
  };
}
