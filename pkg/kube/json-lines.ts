import { ApiError } from './api-error.ts';

/** No object of an API server comes near; without a limit, a peer that never ends a line eats all memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

const NEWLINE = 0x0a;

/** Parses JSON values separated by line ends, each as soon as its line is complete. A last line may lack its end. */
export async function* jsonLines(pieces: AsyncIterable<Buffer>): AsyncIterable<unknown> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      const rest = piece.subarray(start, end);
      const line = pending.length === 0 ? rest : Buffer.concat([...pending, rest]);
      pending = [];
      pendingBytes = 0;
      start = end + 1;
      if (line.length > 0) yield parse(line);
    }
    if (start === piece.length) continue;
    pending.push(piece.subarray(start));
    pendingBytes += piece.length - start;
    if (pendingBytes > MAX_LINE_BYTES) throw unexpected(`a line of more than ${MAX_LINE_BYTES} bytes`);
  }
  if (pendingBytes > 0) yield parse(Buffer.concat(pending));
}

function parse(line: Buffer): unknown {
  const text = line.toString('utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unexpected('not JSON', error);
  }
}

function unexpected(what: string, cause?: unknown): ApiError {
  return new ApiError(`Server returned an unexpected response: ${what}`, { status: 200, reason: '', cause });
}
