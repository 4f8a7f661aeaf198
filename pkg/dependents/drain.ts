import {
  isRookKind,
  isTerminating,
  numberAt,
  refOf,
  type KubeObject,
  type ObjectRef,
  type Writer,
} from '#pkg/object';
import { lookAgain, waitForChange, type Outcome, type Reconciler } from '#pkg/runtime';
import { NAMESPACE } from './terminating-namespaces.ts';

export interface DrainPorts {
  /** A namespace that is being deleted. */
  namespace(name: string): KubeObject | undefined;
  /** Rook's resources in it, from the cache. */
  resourcesIn(namespace: string): readonly KubeObject[];
  isHeld(resource: KubeObject): boolean;
  readonly writer: Pick<Writer, 'delete' | 'patch'>;
}

/** Its change brings the namespace controller back within seconds. */
const DRAINED_LABEL = 'rook-deps.io/drained';
const RETRY_MS = 2_000;

/**
 * Deletes what nothing depends on in a namespace that is being deleted. The namespace controller stops at the first
 * refusal of each kind and comes back after up to a minute; with a dozen layers that would be a dozen minutes.
 */
export function drainReconciler(ports: DrainPorts): Reconciler<string> {
  /** Lost with the process, which costs a minute at most: the namespace controller comes back by itself. */
  const helped = new Set<string>();
  return {
    async reconcile(name, signal) {
      const namespace = ports.namespace(name);
      const resources = namespace ? ports.resourcesIn(name) : [];
      if (!namespace || resources.length === 0) {
        const wasHelped = helped.delete(name);
        return namespace && wasHelped ? wakeNamespaceController(namespace, ports, signal) : waitForChange;
      }
      helped.add(name);
      const due = resources.filter((resource) => !isTerminating(resource) && !ports.isHeld(resource));
      const results = await Promise.all(due.map((resource) => remove(resource, ports, signal)));
      return results.includes('refused') ? lookAgain(RETRY_MS) : waitForChange;
    },
  };
}

/** Asks the webhook like anybody: it looks again whether anything depends on the resource. */
async function remove(
  resource: KubeObject,
  { writer }: DrainPorts,
  signal: AbortSignal,
): Promise<'asked' | 'refused'> {
  const ref: ObjectRef = refOf(resource);
  if (!isRookKind(ref)) return 'asked';
  try {
    await writer.delete(ref, { uid: resource.metadata.uid, propagationPolicy: 'Background' }, signal);
    return 'asked';
  } catch (error) {
    // Replaced since, held after all, or nobody could tell.
    if (![409, 500, 503].includes(numberAt(error, 'status') ?? 0)) throw error;
    return 'refused';
  }
}

async function wakeNamespaceController(
  namespace: KubeObject,
  { writer }: DrainPorts,
  signal: AbortSignal,
): Promise<Outcome> {
  const { name, uid, labels } = namespace.metadata;
  if (labels?.[DRAINED_LABEL] !== undefined) return waitForChange;
  const body = { metadata: { uid, labels: { [DRAINED_LABEL]: 'true' } } };
  await writer.patch({ ...NAMESPACE, name }, { type: 'merge', body }, signal);
  return waitForChange;
}
