import { Kinds, sameKind, type KubeObject, type ObjectRef } from '#pkg/object';
import type { DependencyIndex } from '#pkg/rules';
import type { ObjectName } from './report.ts';

/** Names an object in a report. One that was only mentioned gets the version we know its kind by. */
export function objectName(ref: ObjectRef, index: DependencyIndex): ObjectName {
  const apiVersion = index.get(ref)?.apiVersion ?? knownApiVersion(ref);
  return ref.namespace
    ? { apiVersion, kind: ref.kind, namespace: ref.namespace, name: ref.name }
    : { apiVersion, kind: ref.kind, name: ref.name };
}

export function nameOf(object: KubeObject): ObjectName {
  const { apiVersion, kind } = object;
  const { name, namespace } = object.metadata;
  return namespace ? { apiVersion, kind, namespace, name } : { apiVersion, kind, name };
}

function knownApiVersion(ref: ObjectRef): string {
  const version = Object.values(Kinds).find((type) => sameKind(type, ref))?.version ?? 'v1';
  return ref.group ? `${ref.group}/${version}` : version;
}
