import { listAt, type Change } from '#pkg/object';
import { ApiError } from './api-error.ts';
import type { ApiAnswer } from './transport.ts';

const MAX_ATTEMPTS = 4;
const MAX_WAIT_MS = 5_000;

/** How long to wait before a write is sent again: only a server too busy to look at it may be asked twice. */
export function busyDelayMs({ status, headers }: ApiAnswer, attempt: number): number | undefined {
  if (status !== 429 || attempt >= MAX_ATTEMPTS) return undefined;
  const seconds = /^\d+$/.exec(headers['retry-after'] ?? '')?.[0];
  return seconds === undefined ? undefined : Math.min(Number(seconds) * 1000, MAX_WAIT_MS);
}

/** A failed `test` of a JSON patch comes as 422 without a cause; it means the same as 409. */
export function conflictOf(error: ApiError, change: Change): ApiError {
  const hasTest = change.type === 'json' && change.body.some(({ op }) => op === 'test');
  if (error.status !== 422 || !hasTest || listAt(error.details, 'causes').length > 0) return error;
  const serverMessage = 'the object is not as the patch expects it';
  const message = `Error from server (Conflict): ${serverMessage}`;
  return new ApiError(message, { status: 409, reason: 'Conflict', serverMessage, cause: error });
}
