import type { GroupKind } from '#pkg/object';
import { ApiError } from './api-error.ts';

/** The error of asking for a kind that the server does not have. */
export function missingType({ group, kind }: GroupKind): ApiError {
  const message = `no matches for kind "${kind}" in group "${group}"`;
  return new ApiError(`error: ${message}`, { status: 404, reason: 'NotFound', serverMessage: message });
}

/** The error of asking for a kind that is defined, and whose objects nobody can see for now. */
export function notServedNow(message: string): ApiError {
  return new ApiError(`error: ${message}`, {
    status: 503,
    reason: 'ServiceUnavailable',
    serverMessage: message,
  });
}
