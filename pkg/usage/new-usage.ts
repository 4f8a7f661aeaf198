import { createHash } from 'node:crypto';
import { groupOf, type KubeObject } from '#pkg/object';

const MAX_NAME = 63;
/** No two kinds of these groups have one name. */
const PLAIN_GROUPS = new Set(['', 'apps', 'ceph.rook.io', 'storage.k8s.io']);

export interface NewUsage {
  readonly of: KubeObject;
  readonly by?: KubeObject | undefined;
  readonly reason?: string | undefined;
  readonly replayDeletion: boolean;
}

/** A usage of an object: in the namespace of the object, or a ClusterUsage for one that has none. */
export function newUsage({ of, by, reason, replayDeletion }: NewUsage): KubeObject {
  const { namespace } = of.metadata;
  return {
    apiVersion: 'rook-deps.io/v1alpha1',
    kind: namespace ? 'Usage' : 'ClusterUsage',
    metadata: { name: nameOf(of, by), ...(namespace ? { namespace } : {}) },
    spec: {
      of: sideOf(of, namespace),
      ...(by ? { by: sideOf(by, namespace) } : {}),
      ...(reason ? { reason } : {}),
      ...(replayDeletion ? { replayDeletion } : {}),
    },
  };
}

/** The same usage asked for twice is one usage: the name says what it is of, and by what. */
function nameOf(of: KubeObject, by: KubeObject | undefined): string {
  const part = ({ kind, metadata }: KubeObject): string =>
    `${kind.toLowerCase()}-${metadata.name.replaceAll(/[^a-z0-9-]/g, '-')}`;
  const name = by ? `${part(by)}-uses-${part(of)}` : `protect-${part(of)}`;
  const identity = [of, ...(by ? [by] : [])].map(({ apiVersion, kind, metadata }) => [
    groupOf(apiVersion),
    kind,
    metadata.namespace,
    metadata.name,
  ]);
  const isPlain = name.length <= MAX_NAME && [of, by].every((object) => !object || isPlainly(object));
  if (isPlain && (!by || by.metadata.namespace === of.metadata.namespace)) return name;
  const hash = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 8);
  return `${name.slice(0, MAX_NAME - hash.length - 1).replace(/-+$/, '')}-${hash}`;
}

/** Whether kind and name say all, so that nothing else can come to the same name. */
function isPlainly({ apiVersion, metadata }: KubeObject): boolean {
  return PLAIN_GROUPS.has(groupOf(apiVersion)) && /^[a-z0-9-]+$/.test(metadata.name);
}

function sideOf(object: KubeObject, here: string | undefined): object {
  const { name, namespace } = object.metadata;
  const isElsewhere = namespace !== undefined && namespace !== here;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    resourceRef: { name, ...(isElsewhere ? { namespace } : {}) },
  };
}
