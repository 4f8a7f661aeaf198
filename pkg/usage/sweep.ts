import {
  isForbidden,
  refOf,
  type KubeObject,
  type Listing,
  type ListRequest,
  type ObjectKey,
  type ObjectRef,
  type ResourceType,
  type Writer,
} from '#pkg/object';
import { IN_USE_LABEL, unmark, type Turns, type Wants } from '#pkg/protection';
import { lookAgain, type Reconciler } from '#pkg/runtime';
import { holdersOf } from './holders.ts';
import type { Usage } from './usage.ts';

const HOUR_MS = 3_600_000;
/** They have the labels of their Service, by the hand of Kubernetes. */
const COPIES = new Set(['Endpoints', 'EndpointSlice']);

export interface SweepPorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  list(request: ListRequest, signal: AbortSignal): Promise<Listing>;
  allTypes(signal: AbortSignal): Promise<readonly ResourceType[]>;
  allUsages(signal: AbortSignal): Promise<readonly Usage[]>;
  readonly writer: Pick<Writer, 'patch'>;
  readonly turns: Turns<ObjectKey>;
  /** Whether another protection than a usage wants a mark. */
  readonly isWantedElsewhere: Wants;
  /** Marked on purpose, though nobody uses it. */
  isExempt(ref: ObjectRef): boolean;
  swept(ref: ObjectRef): void;
}

/**
 * Takes off marks that nobody wants, and that nobody else may take off: they come with restored backups and copied
 * manifests, and stay when the finalizer of a usage is removed by force.
 */
export function markSweeper(ports: SweepPorts): Reconciler<string> {
  return {
    async reconcile(_key, signal) {
      const types = (await ports.allTypes(signal)).filter(({ kind }) => !COPIES.has(kind));
      const listings = await Promise.all(
        types.map((kind) => ports.list({ kind, detail: 'metadata', labelSelector: IN_USE_LABEL }, signal)),
      );
      // What may not be listed we have never marked.
      for (const object of listings.flatMap(({ items }) => items)) await sweep(refOf(object), ports, signal);
      return lookAgain(HOUR_MS);
    },
  };
}

async function sweep(ref: ObjectRef, ports: SweepPorts, signal: AbortSignal): Promise<void> {
  if (ports.isExempt(ref)) return;
  // Whole: a definition says in its spec what it defines.
  const object = await ports.get(ref, signal);
  if (object?.metadata.labels?.[IN_USE_LABEL] === undefined) return;
  const isWanted = async (): Promise<boolean> =>
    holdersOf(object, await ports.allUsages(signal)).length > 0 ||
    (await ports.isWantedElsewhere(ref, signal));
  if (await isWanted()) return;
  try {
    await unmark(ref, IN_USE_LABEL, isWanted, ports, signal);
    ports.swept(ref);
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
}
