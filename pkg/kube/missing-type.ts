import type { GroupKind } from '#pkg/object';
import { ApiError } from './api-error.ts';

/** The error of asking for a kind that the server does not have. */
export function missingType({ group, kind }: GroupKind): ApiError {
  const message = `no matches for kind "${kind}" in group "${group}"`;
  return new ApiError(`error: ${message}`, { status: 404, reason: 'NotFound', serverMessage: message });
}
