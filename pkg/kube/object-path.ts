import type { ResourceType } from '#pkg/object';

/** The path of a type's objects, in one namespace or in all, or of one object. */
export function objectPath(type: ResourceType, namespace: string | undefined, name?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope =
    type.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  return `${root}${scope}/${type.plural}${object}`;
}
