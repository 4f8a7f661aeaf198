import type { Clock } from '#pkg/clock';
import type {
  GroupKind,
  KubeObject,
  Listing,
  ListRequest,
  ObjectRef,
  ResourceTypes,
  Writer,
} from '#pkg/object';
import type { Departed } from './watch.ts';

export interface StorageClaimPorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  list(request: ListRequest, signal: AbortSignal): Promise<Listing>;
  /** The types of the server, young enough to tell whether `wanted` is among them. */
  types(wanted: GroupKind, signal: AbortSignal): Promise<ResourceTypes>;
  readonly writer: Writer;
  /** Composites that are gone and may have left parts behind, as far as this process saw them go. */
  readonly departed: {
    get(ref: ObjectRef): Departed | undefined;
    forget(ref: ObjectRef): void;
  };
  readonly clock: Clock;
}
