import type { GroupKind, KubeObject } from '#pkg/object';

/** Which objects are followed. */
export interface Selection {
  readonly kind: GroupKind;
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined;
  /** `metadata` when labels, owner references and the like are enough. */
  readonly detail: 'metadata' | 'object';
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface WatchRequest extends Selection {
  /** Changes after this version; absent: from now on, after all that exists. */
  readonly resourceVersion?: string | undefined;
  /**
   * All that exists comes first as `added`, then a bookmark with `isEndOfInitial`; the whole is as fresh as a list. Not
   * every server can: then an error comes, thrown or as an event.
   */
  readonly sendInitialEvents?: boolean | undefined;
  /** After which the server ends the watch in good order. */
  readonly timeoutSeconds: number;
}

export type WatchEvent =
  /** The first of a watch: the server has accepted it. */
  | { readonly kind: 'opened' }
  | { readonly kind: 'added' | 'modified' | 'deleted'; readonly object: KubeObject }
  /** All changes up to this version have been sent. */
  | { readonly kind: 'bookmark'; readonly resourceVersion: string; readonly isEndOfInitial: boolean }
  /** The last of a watch. 410: the version is too old to go on from. */
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly reason: string;
      readonly message: string;
      readonly details: unknown;
    };

export interface ObjectPage {
  readonly items: readonly KubeObject[];
  /** Of the whole list, the same on every page: a watch goes on from here. */
  readonly resourceVersion: string;
  /** How many are on the pages to come, about; absent where the server does not say. */
  readonly remaining?: number | undefined;
}

/** Follows the objects of a live cluster. Objects come without their managed fields. */
export interface Watcher {
  /**
   * Ends when the server ends the watch. Throws an ApiError when it cannot be opened (404: no such type) or breaks.
   * Nothing is read ahead of a slow consumer; leaving the loop closes the connection.
   */
  watch(request: WatchRequest, signal: AbortSignal): AsyncIterable<WatchEvent>;
  /** All objects, never older than this call; `limit` per page, or all on one. 410: it took too long to go on. */
  pages(selection: Selection, limit: number | undefined, signal: AbortSignal): AsyncIterable<ObjectPage>;
}
