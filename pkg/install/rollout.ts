import { fieldAt, listAt, numberAt, textAt, type KubeObject, type Reader } from '#pkg/object';
import { CONTROLLER_NAME } from './names.ts';

/** What the controller's Deployment lacks until its last change is rolled out, or undefined. */
export async function rolloutLack(
  reader: Reader,
  namespace: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const kind = { group: 'apps', kind: 'Deployment' };
  const deployment = await reader.get(kind, namespace, CONTROLLER_NAME, signal);
  if (!deployment) return 'there is none';
  const progress = unfinished(deployment);
  if (progress === undefined) return undefined;
  const trouble = refusalOf(deployment) ?? (await podTrouble(reader, namespace, signal));
  return trouble ? `${progress}: ${trouble}` : progress;
}

/** As `kubectl rollout status` sees it: all replicas are new, all are available, and no old one is left. */
export function unfinished(deployment: KubeObject): string | undefined {
  const count = (...path: string[]): number => numberAt(deployment, ...path) ?? 0;
  if (count('status', 'observedGeneration') < count('metadata', 'generation')) return 'not begun';
  const wanted = numberAt(deployment, 'spec', 'replicas') ?? 1;
  const ready = Math.min(count('status', 'availableReplicas'), count('status', 'updatedReplicas'));
  if (ready < wanted) return `${ready} of ${wanted} updated replicas are available`;
  const old = count('status', 'replicas') - count('status', 'updatedReplicas');
  return old > 0 ? `${old} old replicas are pending termination` : undefined;
}

/** Quotas and policies refuse pods before there are any. */
function refusalOf(deployment: KubeObject): string | undefined {
  const failure = listAt(deployment, 'status', 'conditions').find(
    (condition) => textAt(condition, 'type') === 'ReplicaFailure' && textAt(condition, 'status') === 'True',
  );
  return textAt(failure, 'message');
}

async function podTrouble(
  reader: Reader,
  namespace: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const labelSelector = 'app.kubernetes.io/name=rook-deps,app.kubernetes.io/component=controller';
  const request = { kind: { group: '', kind: 'Pod' }, namespace, detail: 'object', labelSelector } as const;
  const { items } = await reader.list(request, signal);
  return items.map(troubleOf).find((trouble) => trouble !== undefined);
}

const ORDINARY = new Set(['ContainerCreating', 'PodInitializing']);

function troubleOf(pod: KubeObject): string | undefined {
  for (const status of listAt(pod, 'status', 'containerStatuses')) {
    const waiting = fieldAt(status, 'state', 'waiting');
    const reason = textAt(waiting, 'reason');
    if (reason && !ORDINARY.has(reason))
      return [reason, textAt(waiting, 'message')].filter((text) => text !== undefined).join(': ');
  }
  const unscheduled = listAt(pod, 'status', 'conditions').find(
    (condition) => textAt(condition, 'type') === 'PodScheduled' && textAt(condition, 'status') === 'False',
  );
  return textAt(unscheduled, 'message');
}
