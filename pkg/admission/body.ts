import type { IncomingMessage } from 'node:http';

/** `gone`: the client went away before the end, so what came is not the body and there is nobody to answer. */
export type Body =
  { readonly kind: 'whole'; readonly bytes: Buffer } | { readonly kind: 'gone' | 'slow' | 'large' | 'busy' };

/** Bytes of bodies that may be in memory at a time, over all connections. */
export class Memory {
  #free: number;

  constructor(bytes: number) {
    this.#free = bytes;
  }

  take(bytes: number): boolean {
    if (bytes > this.#free) return false;
    this.#free -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#free += bytes;
  }
}

/** Reads a body up to a size, until `late` is aborted. The memory it took is given back by `release`. */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  memory: Memory,
  late: AbortSignal,
): { readonly body: Promise<Body>; readonly release: () => void } {
  const { promise, resolve } = Promise.withResolvers<Body>();
  let chunks: Buffer[] = [];
  let size = 0;
  let isOpen = true;

  const release = (): void => {
    memory.give(size);
    size = 0;
    chunks = [];
  };
  const finish = (body: Body): void => {
    if (!isOpen) return;
    isOpen = false;
    late.removeEventListener('abort', onLate);
    if (body.kind !== 'whole') release();
    resolve(body);
  };
  const onLate = (): void => finish({ kind: 'slow' });
  // Stays attached: the rest of a refused body is read and thrown away, else the answer might never be read.
  const onData = (chunk: Buffer): void => {
    if (!isOpen) return;
    if (size + chunk.length > maxBytes) return finish({ kind: 'large' });
    if (!memory.take(chunk.length)) return finish({ kind: 'busy' });
    size += chunk.length;
    chunks.push(chunk);
  };
  const onEnd = (): void =>
    finish(request.complete ? { kind: 'whole', bytes: Buffer.concat(chunks) } : { kind: 'gone' });

  request.on('data', onData);
  request.once('end', onEnd);
  request.once('error', () => finish({ kind: 'gone' }));
  request.once('close', () => finish({ kind: 'gone' }));
  if (late.aborted) onLate();
  else late.addEventListener('abort', onLate, { once: true });
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) finish({ kind: 'large' });
  return { body: promise, release };
}
