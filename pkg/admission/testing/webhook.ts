import { connect, type TLSSocket } from 'node:tls';
import { request as httpsRequest, type Agent } from 'node:https';
import { text } from 'node:stream/consumers';
import { systemClock, type Clock } from '#pkg/clock';
import { silentLogger, type Logger } from '#pkg/log';
import type { ServingCertificate } from '../certificates/material.ts';
import type { AdmissionHandler } from '../handler.ts';
import type { Limits } from '../limits.ts';
import { noMetrics, type AdmissionMetrics } from '../metrics.ts';
import { AdmissionServer } from '../server.ts';
import { newToken, withToken } from '../path-token.ts';
import { anAuthority, aServing } from './certificates.ts';

export interface Webhook {
  readonly server: AdmissionServer;
  readonly port: number;
  readonly authority: ServingCertificate;
  readonly token: string;
  /** Ends the server as a stop signal does. */
  stop(): Promise<void>;
}

export interface WebhookOptions {
  readonly handlers?: Record<string, AdmissionHandler>;
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly metrics?: AdmissionMetrics;
  /** False: nobody has told the server its token yet. */
  readonly isTold?: boolean;
}

/** A real server on a port of its own, with a certificate for 127.0.0.1. */
export async function startWebhook(options: WebhookOptions = {}): Promise<Webhook> {
  const authority = await anAuthority(Date.now());
  const { handlers = {}, clock = systemClock, logger = silentLogger, metrics = noMetrics, limits } = options;
  const server = new AdmissionServer({
    host: '127.0.0.1',
    port: 0,
    handlers: new Map(Object.entries(handlers)),
    clock,
    logger,
    metrics,
    limits: { farewellMs: 0, ...limits },
  });
  const token = newToken();
  if (options.isTold !== false) server.useToken(token);
  server.useCertificate(await aServing(authority, Date.now()));
  const port = await server.listen();
  const stopping = new AbortController();
  const running = server.run(stopping.signal);
  return {
    server,
    port,
    authority,
    token,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
  /** Of the certificate that the connection was made with. */
  readonly fingerprint: string;
}

export interface Post {
  readonly path?: string;
  /** False: the path as it is, without the token that the API server knows. */
  readonly knowsToken?: boolean;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly agent?: Agent;
  readonly signal?: AbortSignal;
}

/** Sends a body as the API server does. */
export function post(
  { port, authority, token }: Webhook,
  body: unknown,
  options: Post = {},
): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const { path = '/delete?timeout=10s', method = 'POST', headers, agent, signal } = options;
  const [plain = '', query = ''] = path.split(/(?=\?)/);
  const sent = httpsRequest(
    {
      host: '127.0.0.1',
      port,
      path: (options.knowsToken === false ? plain : withToken(plain, token)) + query,
      method,
      ca: authority.certificate,
      headers: { 'content-type': 'application/json', ...headers },
      agent: agent ?? false,
      ...(signal && { signal }),
    },
    (response) => {
      const { fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate();
      const { statusCode: status = 0, headers: received } = response;
      text(response).then(
        (answer) => resolve({ status, headers: received, body: answer, fingerprint: fingerprint256 }),
        reject,
      );
    },
  );
  sent.once('error', reject);
  sent.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  return promise;
}

/** A connection that says exactly what it is told, for what no client would send. */
export async function rawConnection({ port, authority }: Webhook): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, ca: authority.certificate, ALPNProtocols: ['http/1.1'] });
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('secureConnect', resolve));
  return socket;
}

/** All that comes until the server closes. */
export async function untilClosed(socket: TLSSocket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return Buffer.concat(chunks).toString();
}
