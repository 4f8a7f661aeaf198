import type { KubeObject } from './object.ts';
import type { GroupKind } from './reference.ts';
import type { ResourceTypes } from './resource-types.ts';

/** Something that could not be looked at. An absent optional API is not a gap; a refusal or a failure is. */
export interface Gap {
  readonly what: string;
  readonly reason: string;
}

export interface ListRequest {
  readonly kind: GroupKind;
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined;
  /** `metadata` when labels, owner references and the like are enough: it costs a third. */
  readonly detail: 'metadata' | 'object';
  readonly labelSelector?: string | undefined;
  /** Only a server heeds it: who asks must be able to do without. */
  readonly fieldSelector?: string | undefined;
}

export interface Listing {
  readonly items: readonly KubeObject[];
  readonly gaps: readonly Gap[];
}

/** Where objects come from: a live cluster, or saved manifests. */
export interface Reader {
  types(signal: AbortSignal): Promise<ResourceTypes>;
  /** Undefined when there is no such object, or no such type. Throws when the answer could not be had. */
  get(
    kind: GroupKind,
    namespace: string | undefined,
    name: string,
    signal: AbortSignal,
  ): Promise<KubeObject | undefined>;
  /** Never throws for one kind's sake: what could not be listed is a gap. A dead server is thrown. */
  list(request: ListRequest, signal: AbortSignal): Promise<Listing>;
}
