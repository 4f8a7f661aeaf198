import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '#pkg/clock';
import type { Logger } from '#pkg/log';
import { Memory } from './body.ts';
import type { ServingCertificate } from './certificates/material.ts';
import { serve, type Desk } from './exchange.ts';
import { Limiter } from '#pkg/kube';
import type { AdmissionHandler } from './handler.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import type { AdmissionMetrics } from './metrics.ts';
import { unlocked } from './path-token.ts';

export interface AdmissionServerOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** By path: `/delete`, … */
  readonly handlers: ReadonlyMap<string, AdmissionHandler>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: AdmissionMetrics;
  readonly limits?: Partial<Limits>;
}

const TLS = { minVersion: 'TLSv1.2' } as const;

/** The webhook's HTTPS server. Until it has a certificate, handshakes fail. */
export class AdmissionServer {
  readonly #options: AdmissionServerOptions;
  readonly #limits: Limits;
  readonly #server: Server;
  #isLeaving = false;
  /** The handler's path within that of a request; nobody is answered before we know how we are called. */
  #unlock: (path: string) => string | undefined = () => undefined;

  constructor(options: AdmissionServerOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#server = this.#create();
  }

  /** Serves new connections with this certificate; those that are open stay as they are. */
  useCertificate({ certificate, key }: ServingCertificate): void {
    this.#server.setSecureContext({ ...TLS, cert: certificate, key });
  }

  /** Answers by paths that end with this token, and by no others; undefined: by plain ones. */
  useToken(token: string | undefined): void {
    this.#unlock = (path) => (token === undefined ? path : unlocked(path, token));
  }

  /** Resolves with the port once requests can come. */
  async listen(): Promise<number> {
    const { host, port } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen(port, host, resolve);
    await promise;
    this.#server.off('error', reject);
    this.#server.on('error', (err) => this.#options.logger.error('webhook server', { err }));
    return (this.#server.address() as AddressInfo).port;
  }

  /** Serves until the signal, and then until nobody is left unanswered. */
  async run(signal: AbortSignal): Promise<void> {
    if (!this.#server.listening) await this.listen();
    await aborted(signal);
    await this.#leave();
  }

  #create(): Server {
    const { headMs, requestMs, idleMs } = this.#limits;
    const { handlers, clock, logger, metrics } = this.#options;
    const gate = new Limiter(this.#limits.decisions);
    const memory = new Memory(this.#limits.memoryBytes);
    const isLeaving = (): boolean => this.#isLeaving;
    const unlock: Desk['unlock'] = (path) => this.#unlock(path);
    const shared = { handlers, unlock, clock, logger, metrics };
    const desk: Desk = { ...shared, limits: this.#limits, memory, gate, isLeaving };
    const server = createServer({
      ...TLS,
      handshakeTimeout: headMs,
      headersTimeout: headMs,
      requestTimeout: requestMs,
      keepAliveTimeout: idleMs,
      connectionsCheckingInterval: Math.min(1_000, headMs / 4),
    });
    server.on('request', (request, response) => void serve(desk, request, response));
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const status = refuse(error, socket);
      if (status !== undefined) metrics.turnedAway(status);
    });
    return server;
  }

  async #leave(): Promise<void> {
    const { clock } = this.#options;
    const { farewellMs, drainMs } = this.#limits;
    const done = new AbortController();
    this.#isLeaving = true;
    await clock.sleep(farewellMs, done.signal);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const late = clock.sleep(drainMs, done.signal).catch(() => undefined);
    await Promise.race([closed, late]);
    done.abort();
    this.#server.closeAllConnections();
    await closed;
  }
}

const HEAD_ERRORS: Readonly<Record<string, readonly [status: number, text: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Payload Too Large'],
};

/** Answers what could not be understood as HTTP, and ends the connection: what follows on it has no meaning. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): number | undefined {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  const [status, text] = HEAD_ERRORS[error.code ?? ''] ?? [400, 'Bad Request'];
  socket.end(`HTTP/1.1 ${status} ${text}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  return status;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
