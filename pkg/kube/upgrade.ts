import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { ApiError, apiErrorOf } from './api-error.ts';
import { connectFailure } from './connect-failure.ts';
import { bodyOf, type HttpCall } from './http-exchange.ts';
import { warningsOf } from './warnings.ts';

/** A connection on which WebSocket frames may be sent. Whoever has it closes it. */
export interface Upgraded {
  readonly status: number;
  readonly warnings: readonly string[];
  readonly socket: Duplex;
  /** What came with the answer already. */
  readonly head: Buffer;
  /** The one that the server chose; empty when it chose none. */
  readonly protocol: string;
}

/** The text that, hashed with our key, proves that the server speaks WebSocket (RFC 6455). */
const WEBSOCKET_ID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const HEAD_TIMEOUT_MS = 30_000;

export async function openWebSocket(
  call: HttpCall,
  protocols: readonly string[],
  signal: AbortSignal,
): Promise<Upgraded> {
  const key = randomBytes(16).toString('base64');
  const headers = {
    ...call.headers,
    // The server hands the headers on to the kubelet, which has no JSON to offer here and would answer 406.
    accept: '*/*',
    'accept-encoding': 'identity',
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': key,
    'sec-websocket-version': '13',
    'sec-websocket-protocol': protocols.join(', '),
  };
  const upgraded = await upgrade({ ...call, headers }, signal);
  const proof = createHash('sha1').update(`${key}${WEBSOCKET_ID}`).digest('base64');
  if (upgraded.proof === proof) return upgraded;
  upgraded.socket.destroy();
  throw ApiError.unreachable('error: the server does not speak WebSocket');
}

async function upgrade(
  call: HttpCall,
  signal: AbortSignal,
): Promise<Upgraded & { readonly proof: string | undefined }> {
  const late = AbortSignal.timeout(call.timeoutMs || HEAD_TIMEOUT_MS);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const send = call.url.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = send(call.url, { method: call.method, headers: call.headers, agent: call.agent });
  const stop = (): void => void request.destroy();
  const either = AbortSignal.any([signal, late]);
  either.addEventListener('abort', stop, { once: true });
  request.on('upgrade', (answer, socket, head) => resolve({ answer, socket, head }));
  request.on('response', (answer) => resolve({ answer }));
  request.on('error', reject);
  request.end();
  try {
    const { answer, socket, head } = await promise;
    if (!socket) throw apiErrorOf({ status: answer.statusCode ?? 0, body: await bodyOf(answer) }, 'GET');
    return {
      status: answer.statusCode ?? 0,
      warnings: warningsOf(answer),
      socket,
      head: head ?? Buffer.alloc(0),
      protocol: answer.headers['sec-websocket-protocol'] ?? '',
      proof: answer.headers['sec-websocket-accept'],
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiError) throw error;
    throw connectFailure(error, call.url);
  } finally {
    either.removeEventListener('abort', stop);
  }
}

interface Answer {
  readonly answer: IncomingMessage;
  readonly socket?: Duplex;
  readonly head?: Buffer;
}
