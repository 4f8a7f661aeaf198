import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.ts';
import { connectFailure } from './connect-failure.ts';
import { answerTo, bodyOf, type HttpCall } from './http-exchange.ts';
import { warningsOf } from './warnings.ts';

/** An answer that is read while it comes. Whoever opens one reads it to its end or closes it. */
export interface HttpStream {
  readonly status: number;
  readonly warnings: readonly string[];
  /** The rest as text: for an answer that turns out to be an error. */
  text(): Promise<string>;
  /**
   * The next pieces are read from the connection only when they are asked for. Throws an ApiError when the connection
   * breaks, or when `idleMs` pass without a byte; the time that the reader takes does not count.
   */
  pieces(idleMs: number): AsyncIterable<Buffer>;
  close(): void;
}

/** Until an answer begins. A server may wait some seconds for a version that it has not seen yet. */
const HEAD_TIMEOUT_MS = 60_000;

/** Sends one request and waits for the head of its answer; `timeoutMs` of the call limits this alone. */
export async function openStream(call: HttpCall, signal: AbortSignal): Promise<HttpStream> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), call.timeoutMs || HEAD_TIMEOUT_MS);
  try {
    const answer = await answerTo(call, AbortSignal.any([signal, late.signal]));
    return streamOf(answer, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!late.signal.aborted) throw connectFailure(error, call.url);
    const words = 'net/http: request canceled (Client.Timeout exceeded while awaiting headers)';
    throw ApiError.unreachable(`Unable to connect to the server: ${words}`, error);
  } finally {
    clearTimeout(timer);
  }
}

function streamOf(answer: IncomingMessage, signal: AbortSignal): HttpStream {
  return {
    status: answer.statusCode ?? 0,
    warnings: warningsOf(answer),
    text: () => bodyOf(answer),
    pieces: (idleMs) => piecesOf(answer, idleMs, signal),
    close: () => void answer.destroy(),
  };
}

async function* piecesOf(
  answer: IncomingMessage,
  idleMs: number,
  signal: AbortSignal,
): AsyncIterable<Buffer> {
  const iterator = answer[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const next = await nextWithin(idleMs, iterator, answer);
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiError) throw error;
    throw ApiError.unreachable('error: the connection to the server broke', error);
  } finally {
    answer.destroy();
  }
}

async function nextWithin(
  idleMs: number,
  iterator: AsyncIterator<Buffer>,
  answer: IncomingMessage,
): Promise<IteratorResult<Buffer>> {
  const timer = setTimeout(() => {
    const seconds = Math.round(idleMs / 1000);
    answer.destroy(ApiError.unreachable(`error: nothing came from the server for ${seconds} s`));
  }, idleMs);
  try {
    return await iterator.next();
  } finally {
    clearTimeout(timer);
  }
}
