import type { KubeObject } from '#pkg/object';

/** An object as it may be shown: a Secret without what it holds. */
export function withoutSecrets(object: KubeObject): KubeObject {
  if (object.kind !== 'Secret') return object;
  const { data: _, stringData: __, ...shown } = { data: undefined, stringData: undefined, ...object };
  return shown;
}
