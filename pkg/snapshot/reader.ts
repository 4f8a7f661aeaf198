import {
  fieldAt,
  groupOf,
  KNOWN_TYPES,
  kindKey,
  listAt,
  parseLabelSelector,
  refOf,
  ResourceTypes,
  textAt,
  type KindKey,
  type KubeObject,
  type Reader,
  type ResourceType,
} from '#pkg/object';

/** Answers from saved objects as a server would. There are no gaps: what is not there does not exist. */
export function manifestReader(objects: readonly KubeObject[]): Reader {
  const byKind = new Map<KindKey, KubeObject[]>();
  for (const object of objects) {
    const key = kindKey(refOf(object));
    const known = byKind.get(key);
    if (known) known.push(object);
    else byKind.set(key, [object]);
  }
  const types = new ResourceTypes([...KNOWN_TYPES, ...definedTypes(objects), ...impliedTypes(objects)]);
  return {
    types: () => Promise.resolve(types),
    get: (kind, namespace, name) =>
      Promise.resolve(
        byKind
          .get(kindKey(kind))
          ?.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
      ),
    list: ({ kind, namespace, labelSelector }) => {
      const matches = labelSelector ? parseLabelSelector(labelSelector) : () => true;
      const items = (byKind.get(kindKey(kind)) ?? []).filter(
        ({ metadata }) =>
          (namespace === undefined || metadata.namespace === namespace) && matches(metadata.labels),
      );
      return Promise.resolve({ items, gaps: [] });
    },
  };
}

/** CustomResourceDefinitions among the manifests tell how their kinds are called. */
function* definedTypes(objects: readonly KubeObject[]): Iterable<ResourceType> {
  for (const object of objects) {
    if (object.kind !== 'CustomResourceDefinition') continue;
    const names = fieldAt(object, 'spec', 'names');
    const kind = textAt(names, 'kind');
    const plural = textAt(names, 'plural');
    if (!kind || !plural) continue;
    yield {
      group: textAt(object, 'spec', 'group') ?? '',
      version: textAt(listAt(object, 'spec', 'versions')[0], 'name') ?? 'v1',
      kind,
      plural,
      singular: textAt(names, 'singular') ?? kind.toLowerCase(),
      shortNames: listAt(names, 'shortNames').filter((name) => typeof name === 'string'),
      namespaced: textAt(object, 'spec', 'scope') !== 'Cluster',
    };
  }
}

/** Any other kind answers to its own name. */
function* impliedTypes(objects: readonly KubeObject[]): Iterable<ResourceType> {
  for (const { apiVersion, kind, metadata } of objects) {
    const singular = kind.toLowerCase();
    const group = groupOf(apiVersion);
    const version = group ? apiVersion.slice(group.length + 1) : apiVersion;
    yield {
      group,
      version,
      kind,
      singular,
      plural: `${singular}s`,
      shortNames: [],
      namespaced: metadata.namespace !== undefined,
    };
  }
}
