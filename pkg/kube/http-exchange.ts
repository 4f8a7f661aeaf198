import {
  request as httpRequest,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';
import { ApiError } from './api-error.ts';
import { connectFailure } from './connect-failure.ts';
import { errorCode } from './file-failure.ts';
import { warningsOf } from './warnings.ts';

/** One HTTP request, complete with headers. */
export interface HttpCall {
  readonly method: string;
  readonly url: URL;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Buffer | undefined;
  readonly agent: Agent;
  /** For the whole exchange; 0 is no limit. */
  readonly timeoutMs: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly warnings: readonly string[];
  readonly body: string;
}

const DIAL_TIMEOUT_MS = 30_000;
/** Unzipping in large pieces: a list of thousands of objects is tens of megabytes. */
const GUNZIP_CHUNK_BYTES = 256 * 1024;

/** Sends one request and reads the whole answer. Throws an ApiError when no complete answer came. */
export async function exchange(call: HttpCall, signal: AbortSignal): Promise<HttpAnswer> {
  const deadline = call.timeoutMs > 0 ? AbortSignal.timeout(call.timeoutMs) : undefined;
  const either = deadline ? AbortSignal.any([signal, deadline]) : signal;
  const answer = await answerTo(call, either).catch((error: unknown) => {
    signal.throwIfAborted();
    if (!deadline?.aborted) throw connectFailure(error, call.url);
    const words = 'net/http: request canceled (Client.Timeout exceeded while awaiting headers)';
    throw ApiError.unreachable(`Unable to connect to the server: ${words}`, error);
  });
  try {
    const body = await bodyOf(answer);
    return { status: answer.statusCode ?? 0, headers: answer.headers, warnings: warningsOf(answer), body };
  } catch (error) {
    signal.throwIfAborted();
    throw cutShort(error, deadline?.aborted === true, answer);
  }
}

/** The answer's head, its body still to be read. Throws what Node throws. */
export async function answerTo(call: HttpCall, signal: AbortSignal): Promise<IncomingMessage> {
  const first = start(call, signal);
  try {
    return await first.answer;
  } catch (error) {
    const stale = first.request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(errorCode(error) ?? '');
    if (!stale || call.method !== 'GET') throw error;
    // The server closed a kept connection just as we used it; others kept as long are closed as well.
    for (const sockets of Object.values(call.agent.freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
    return start(call, signal).answer;
  }
}

function start(
  { method, url, headers, body, agent }: HttpCall,
  signal: AbortSignal,
): { readonly request: ClientRequest; readonly answer: Promise<IncomingMessage> } {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = send(url, { method, headers, agent, signal });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
  });
  limitDialling(request, url.protocol === 'https:');
  // As bytes: with a string, Node would encode the headers like the body.
  request.end(typeof body === 'string' ? Buffer.from(body) : body);
  return { request, answer };
}

function limitDialling(request: ClientRequest, secure: boolean): void {
  let code = 'DIAL_TIMEOUT';
  const timer = setTimeout(() => request.destroy(Object.assign(new Error(code), { code })), DIAL_TIMEOUT_MS);
  const done = (): void => clearTimeout(timer);
  request.once('close', done).once('response', done);
  request.once('socket', (socket) => {
    if (!socket.connecting && request.reusedSocket) return done();
    socket.once('connect', () => (code = 'TLS_HANDSHAKE_TIMEOUT'));
    socket.once(secure ? 'secureConnect' : 'connect', done);
  });
}

/** Decoded piece by piece: neither the zipped nor the raw bytes are ever held as a whole. */
export async function bodyOf(answer: IncomingMessage): Promise<string> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  for await (const piece of unzipped(answer)) text += decoder.write(piece as Buffer);
  return text + decoder.end();
}

function unzipped(answer: IncomingMessage): Readable {
  if (answer.headers['content-encoding'] !== 'gzip') return answer;
  // A broken connection reaches the reader through the unzipper: pipeline destroys it with the error.
  return pipeline(answer, createGunzip({ chunkSize: GUNZIP_CHUNK_BYTES }), () => {});
}

function cutShort(error: unknown, timedOut: boolean, { statusCode = 0 }: IncomingMessage): ApiError {
  const original = timedOut
    ? 'context deadline exceeded (Client.Timeout or context cancellation while reading body)'
    : error instanceof RangeError
      ? error.message
      : 'unexpected EOF';
  return new ApiError(
    `error: unexpected error when reading response body. Please retry. Original error: ${original}`,
    {
      status: timedOut ? 0 : statusCode,
      reason: '',
      cause: error,
    },
  );
}
