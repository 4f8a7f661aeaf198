import type { Target } from './client.ts';

const API = 'rook-deps.io/v1alpha1';

/** A template of an object that a test would make itself. */
export function entry(name: string, template: object): object {
  return { name, template };
}

export function composite(name: string, resources: readonly object[], more: object = {}): Target {
  const spec = { resources, claimableFrom: { namespaces: ['*'] }, ...more };
  return { apiVersion: API, kind: 'StorageComposite', metadata: { name }, spec } as Target;
}

export function claim(
  namespace: string,
  name: string,
  compositeName: string,
  compositeDeletePolicy?: 'Background' | 'Foreground',
): Target {
  const spec = {
    compositeRef: { name: compositeName },
    ...(compositeDeletePolicy ? { compositeDeletePolicy } : {}),
  };
  return { apiVersion: API, kind: 'StorageClaim', metadata: { name, namespace }, spec } as Target;
}
