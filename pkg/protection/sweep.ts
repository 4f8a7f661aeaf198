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
import { lookAgain, type Reconciler } from '#pkg/runtime';
import { unmark } from './marks.ts';
import type { Turns } from './turns.ts';

const HOUR_MS = 3_600_000;
/** They have the labels of their Service, by the hand of Kubernetes. */
const COPIES = new Set(['Endpoints', 'EndpointSlice']);

export interface SweepPorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  list(request: ListRequest, signal: AbortSignal): Promise<Listing>;
  allTypes(signal: AbortSignal): Promise<readonly ResourceType[]>;
  /** Whether anybody wants the mark on an object, as the server has things now. */
  isWanted(object: KubeObject, signal: AbortSignal): Promise<boolean>;
  readonly writer: Pick<Writer, 'patch'>;
  readonly turns: Turns<ObjectKey>;
  /** Marked on purpose, though nobody wants it. */
  isExempt(ref: ObjectRef): boolean;
  swept(ref: ObjectRef): void;
}

/**
 * Takes off marks that no protection wants, and that nobody else may take off: they come with restored backups and
 * copied manifests, and stay when the finalizer of a protection is removed by force.
 */
export function markSweeper(label: string, ports: SweepPorts): Reconciler<string> {
  return {
    async reconcile(_key, signal) {
      // Reviews are answered, and kept nowhere.
      const types = (await ports.allTypes(signal)).filter(
        ({ kind }) => !COPIES.has(kind) && !kind.endsWith('Review'),
      );
      const listings = await Promise.all(
        types.map((kind) => ports.list({ kind, detail: 'metadata', labelSelector: label }, signal)),
      );
      // What may not be listed we have never marked.
      for (const object of listings.flatMap(({ items }) => items))
        await sweep(refOf(object), label, ports, signal);
      return lookAgain(HOUR_MS);
    },
  };
}

async function sweep(ref: ObjectRef, label: string, ports: SweepPorts, signal: AbortSignal): Promise<void> {
  if (ports.isExempt(ref)) return;
  // Whole: a definition says in its spec what it defines.
  const object = await ports.get(ref, signal);
  if (object?.metadata.labels?.[label] === undefined) return;
  const isWanted = (): Promise<boolean> => ports.isWanted(object, signal);
  if (await isWanted()) return;
  try {
    await unmark(ref, label, isWanted, ports, signal);
    ports.swept(ref);
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
}
