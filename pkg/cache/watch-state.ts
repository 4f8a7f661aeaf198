import { ApiError, type WatchEvent } from '#pkg/kube';
import { listAt, textAt } from '#pkg/object';

/** Whether a store can be believed. Only `synced` can; else it holds what was last seen, if anything. */
export type WatchState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'synced' }
  /** The server does not have the kind. A starting one may lack it briefly: only `isCertain` means there are none. */
  | { readonly kind: 'not-served'; readonly isCertain: boolean }
  | { readonly kind: 'forbidden'; readonly reason: string }
  /** Tried again with growing pauses, for ever. */
  | { readonly kind: 'failing'; readonly reason: string };

/** The state after an attempt to list or watch failed. */
export function stateAfter(error: unknown): WatchState {
  if (!(error instanceof ApiError)) return { kind: 'failing', reason: String(error) };
  if (error.status === 404) return { kind: 'not-served', isCertain: false };
  if (error.status === 403) return { kind: 'forbidden', reason: error.serverMessage };
  return { kind: 'failing', reason: error.serverMessage };
}

/** The server cannot go on from where we were: all must be listed again. */
export function needsNewList(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === 410 || error.status === 404) return true;
  // A server restored from a backup is behind what we have seen.
  return listAt(error.details, 'causes').some(
    (cause) => textAt(cause, 'reason') === 'ResourceVersionTooLarge',
  );
}

/** The last event of a watch as the error it means. */
export function errorOf(event: Extract<WatchEvent, { kind: 'error' }>): ApiError {
  const { status, reason, message, details } = event;
  return new ApiError(`Error from server (${reason}): ${message}`, {
    status,
    reason,
    details,
    serverMessage: message,
  });
}
