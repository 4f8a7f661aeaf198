import { TEST_GROUP } from './objects.ts';
import type { Target } from './client.ts';

/** A Deployment without pods: there is no node to run them on. */
export function deployment(namespace: string, name: string): Target {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'example.com/none' }] } },
    },
  } as Target;
}

interface CriticalSpec {
  readonly provider: object;
  readonly criteria: readonly object[];
  readonly deletionPolicy?: string;
  readonly replayDeletion?: boolean;
}

export function criticalService(name: string, spec: CriticalSpec): Target {
  return {
    apiVersion: 'rook-deps.io/v1alpha1',
    kind: 'CriticalService',
    metadata: { name },
    spec,
  } as Target;
}

export function providerOf({ metadata: { namespace, name } }: Target): object {
  return { group: 'apps', resource: 'deployments', namespace, name };
}

export function noFinalizer(resource: string, finalizerName: string, group = TEST_GROUP): object {
  return { type: 'Finalizer', finalizer: { group, resource, finalizerName } };
}

export function goneFirst(
  { metadata: { namespace, name } }: Target,
  group: string,
  resource: string,
): object {
  return {
    type: 'SpecificResource',
    specificResource: { group, resource, ...(namespace ? { namespace } : {}), name },
  };
}
