import { ApiError } from './api-error.ts';

/** The JSON of an answer, else kubectl's words for an answer that is none. */
export function parseJson({ status, body }: { readonly status: number; readonly body: string }): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new ApiError(`error: ${complaint(body)}`, { status, reason: '', cause: error });
  }
}

function complaint(body: string): string {
  const first = body.trimStart().charAt(0);
  if (first !== '' && !/[{["\-0-9tfn]/.test(first))
    return `invalid character '${first}' looking for beginning of value`;
  return 'unexpected end of JSON input';
}
