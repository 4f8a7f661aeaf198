import { groupOf, isRecord, textAt, type KubeObject, type ObjectRef, type ResourceType } from '#pkg/object';
import { COMPOSITE_LABEL, type Composite, type Template } from './composite.ts';

/** What is wrong with a template, and where. */
export interface TemplateProblem {
  readonly message: string;
  /** Within the template. */
  readonly field: string;
}

/** Whoever may write these is given, or takes, the rights of the one who writes them: that would be the controller. */
const FORBIDDEN_GROUPS = new Set([
  'rbac.authorization.k8s.io',
  'certificates.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
]);
const METADATA = new Set(['name', 'namespace', 'labels', 'annotations']);
const RESERVED = 'rook-deps.io/';
const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** What can be said of a template by itself. */
export function templateProblem({ content }: Template): TemplateProblem | undefined {
  const { apiVersion, kind, metadata = {} } = content;
  if (typeof apiVersion !== 'string' || !/^([^/]+\/)?[^/]+$/.test(apiVersion))
    return { message: 'must be a version, or a group and a version', field: 'apiVersion' };
  if (typeof kind !== 'string' || kind === '') return { message: 'must name a kind', field: 'kind' };
  if (FORBIDDEN_GROUPS.has(groupOf(apiVersion)))
    return {
      message: `${kind} cannot be composed: it would carry the rights of the controller`,
      field: 'kind',
    };
  if ('status' in content)
    return { message: 'cannot be composed: it is for controllers to write', field: 'status' };
  if (!isRecord(metadata)) return { message: 'must be an object', field: 'metadata' };
  return metadataProblem(metadata);
}

function metadataProblem(metadata: Readonly<Record<string, unknown>>): TemplateProblem | undefined {
  if ('ownerReferences' in metadata)
    return {
      message: 'cannot be set: a composed resource is owned by its composite, and by nobody else',
      field: 'metadata.ownerReferences',
    };
  const stray = Object.keys(metadata).find((field) => !METADATA.has(field));
  if (stray !== undefined)
    return { message: `cannot be set: only ${[...METADATA].join(', ')} can`, field: `metadata.${stray}` };
  for (const field of ['name', 'namespace']) {
    const text = metadata[field];
    if (text !== undefined && (typeof text !== 'string' || text.length > 253 || !NAME.test(text)))
      return { message: 'must be a lower-case name', field: `metadata.${field}` };
  }
  for (const field of ['labels', 'annotations']) {
    const map = metadata[field] ?? {};
    if (!isRecord(map) || Object.values(map).some((value) => typeof value !== 'string'))
      return { message: 'must be texts by name', field: `metadata.${field}` };
    const reserved = Object.keys(map).find((name) => name.startsWith(RESERVED));
    if (reserved) return { message: `"${reserved}" belongs to rook-deps`, field: `metadata.${field}` };
  }
  return undefined;
}

/** What can be said once the kind is known; undefined for a kind that the server does not have. */
export function typeProblem(template: Template, type: ResourceType | undefined): TemplateProblem | undefined {
  const { apiVersion, kind } = template.content;
  if (!type) {
    const message = `the server doesn't have a kind "${String(kind)}" in "${String(apiVersion)}"; 'kubectl api-resources' lists what it has`;
    return { message, field: 'kind' };
  }
  const namespace = textAt(template.content, 'metadata', 'namespace');
  if (type.namespaced && !namespace)
    return {
      message: `${type.kind} is namespaced: say in which namespace it is to be`,
      field: 'metadata.namespace',
    };
  if (!type.namespaced && namespace)
    return {
      message: `${type.kind} is cluster-scoped: leave the namespace out`,
      field: 'metadata.namespace',
    };
  return undefined;
}

/** What a template makes. A name that is not given is made of those of composite and template. */
export function targetOf({ name, content }: Template, composite: ObjectRef): ObjectRef {
  const namespace = textAt(content, 'metadata', 'namespace');
  return {
    group: groupOf(textAt(content, 'apiVersion') ?? ''),
    kind: textAt(content, 'kind') ?? '',
    ...(namespace ? { namespace } : {}),
    name: textAt(content, 'metadata', 'name') ?? `${composite.name}-${name}`,
  };
}

/** The object to apply: the template, owned by its composite so that a foreground deletion waits for it. */
export function composedObject(template: Template, composite: Composite): KubeObject {
  const { content } = template;
  const metadata = isRecord(content['metadata']) ? content['metadata'] : {};
  const labels = isRecord(metadata['labels']) ? metadata['labels'] : {};
  const { apiVersion, kind } = composite.object;
  const { name, namespace } = targetOf(template, composite.ref);
  const owner = { apiVersion, kind, name: composite.ref.name, uid: composite.uid };
  return {
    ...content,
    apiVersion: textAt(content, 'apiVersion') ?? '',
    kind: textAt(content, 'kind') ?? '',
    metadata: {
      ...metadata,
      name,
      ...(namespace ? { namespace } : {}),
      labels: { ...labels, [COMPOSITE_LABEL]: composite.ref.name },
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
  };
}
