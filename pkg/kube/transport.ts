import type { Agent, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createAgent, MAX_IN_FLIGHT } from './agent.ts';
import { ApiError, apiErrorOf } from './api-error.ts';
import { Authenticator, type Identity } from './authenticator.ts';
import type { Connection } from './connection.ts';
import { exchange, type HttpAnswer, type HttpCall } from './http-exchange.ts';
import { openStream, type HttpStream } from './http-stream.ts';
import { parseJson } from './json-answer.ts';
import { Limiter } from './limiter.ts';
import { identityHeaders } from './request-headers.ts';
import { retryDelayMs } from './retry.ts';
import { openWebSocket, type Upgraded } from './upgrade.ts';

export interface ConnectOptions {
  readonly userAgent: string;
  /** A warning of the server for the user; each text comes once. */
  readonly onWarning: (text: string) => void;
  /** One line per exchange, without secrets. */
  readonly trace?: ((line: string) => void) | undefined;
  /** How waiting is done; replaced in tests. */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

export interface ApiRequest {
  readonly method: string;
  /** From `/api` or `/apis` on, each part already encoded. */
  readonly path: string;
  readonly query?: Query | undefined;
  readonly accept?: string | undefined;
  readonly body?: string | Buffer | undefined;
  readonly contentType?: string | undefined;
}

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** The way to one API server. Bounds its connections, renews credentials, and tries reads again when asked to. */
export interface Transport {
  readonly server: string;
  /** Exchanges so far, repeated ones included. */
  readonly requestCount: number;
  /** Any answer that came whole, whatever its status. Throws an ApiError when none came. */
  request(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer>;
  /** The JSON of a 2xx answer; anything else is thrown as an ApiError. */
  getJson(path: string, options: Pick<ApiRequest, 'query' | 'accept'>, signal: AbortSignal): Promise<unknown>;
  /**
   * A 2xx answer of no known end, read piece by piece; anything else is thrown as an ApiError. It has a connection to
   * itself and takes no place from requests. An abort closes it; it is never sent again by itself.
   */
  stream(request: ApiRequest, signal: AbortSignal): Promise<HttpStream>;
  /**
   * A connection of its own that the server agrees to use for a WebSocket; a refusal is thrown as an ApiError. An
   * abort closes it.
   */
  webSocket(request: WebSocketRequest, signal: AbortSignal): Promise<Upgraded>;
  /** Closes idle connections. */
  close(): void;
}

export interface WebSocketRequest extends Pick<ApiRequest, 'path' | 'query'> {
  /** What may be spoken on it, the best first. */
  readonly protocols: readonly string[];
}

/** Makes ready to talk to a server; nothing is sent yet. */
export function connect(connection: Connection, options: ConnectOptions): Promise<Transport> {
  return Promise.resolve(new HttpTransport(connection, options));
}

/** A connection is bound to its client certificate: a renewed one needs new connections. */
interface HeldAgent {
  readonly certificate: string | undefined;
  readonly agent: Promise<Agent>;
}

class HttpTransport implements Transport {
  readonly server: string;
  requestCount = 0;
  readonly #connection: Connection;
  readonly #options: ConnectOptions;
  readonly #authenticator: Authenticator;
  readonly #limiter = new Limiter(MAX_IN_FLIGHT);
  readonly #warned = new Set<string>();
  #agent: HeldAgent | undefined;
  #streamAgent: HeldAgent | undefined;

  constructor(connection: Connection, options: ConnectOptions) {
    this.server = connection.server;
    this.#connection = connection;
    this.#options = options;
    this.#authenticator = new Authenticator(connection);
  }

  request(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer> {
    return this.#limiter.run(() => this.#withRetries(request, signal), signal);
  }

  async getJson(
    path: string,
    options: Pick<ApiRequest, 'query' | 'accept'>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const answer = await this.request({ method: 'GET', path, ...options }, signal);
    if (answer.status < 200 || answer.status > 299) throw apiErrorOf(answer, 'GET');
    return parseJson(answer);
  }

  async stream(request: ApiRequest, signal: AbortSignal): Promise<HttpStream> {
    const identity = await this.#authenticator.identity(signal);
    const stream = await this.#open(request, identity, signal);
    if (stream.status !== 401 || !identity.renewable) return orThrow(stream, request.method);
    await stream.text();
    const renewed = await this.#authenticator.renew(identity, signal);
    return orThrow(await this.#open(request, renewed, signal), request.method);
  }

  async webSocket(request: WebSocketRequest, signal: AbortSignal): Promise<Upgraded> {
    const identity = await this.#authenticator.identity(signal);
    try {
      return await this.#upgrade(request, identity, signal);
    } catch (error) {
      const isExpired = error instanceof ApiError && error.status === 401 && identity.renewable;
      if (!isExpired) throw error;
      return this.#upgrade(request, await this.#authenticator.renew(identity, signal), signal);
    }
  }

  close(): void {
    void this.#agent?.agent.then((agent) => agent.destroy());
  }

  async #withRetries(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer> {
    const sleep = this.#options.sleep ?? ((ms, stop) => delay(ms, undefined, { signal: stop }));
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#authenticated(request, signal);
      const waitMs = retryDelayMs(request.method, answer, attempt);
      if (waitMs === undefined) return answer;
      await sleep(waitMs, signal);
    }
  }

  async #authenticated(request: ApiRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const identity = await this.#authenticator.identity(signal);
    const answer = await this.#send(request, identity, signal);
    if (answer.status !== 401 || !identity.renewable) return answer;
    return this.#send(request, await this.#authenticator.renew(identity, signal), signal);
  }

  async #send(request: ApiRequest, identity: Identity, signal: AbortSignal): Promise<HttpAnswer> {
    const call = this.#call(request, identity, await this.#agentFor(identity));
    return this.#traced(call, () => exchange(call, signal));
  }

  async #open(request: ApiRequest, identity: Identity, signal: AbortSignal): Promise<HttpStream> {
    const whole = this.#call(request, identity, await this.#streamAgentFor(identity));
    // API servers do not zip watches; a gateway that did would hold events back until a block is full.
    const call = { ...whole, headers: { ...whole.headers, 'accept-encoding': 'identity' } };
    return this.#traced(call, () => openStream(call, signal));
  }

  async #upgrade(request: WebSocketRequest, identity: Identity, signal: AbortSignal): Promise<Upgraded> {
    const get = { method: 'GET', ...request };
    const call = this.#call(get, identity, await this.#streamAgentFor(identity));
    return this.#traced(call, () => openWebSocket(call, request.protocols, signal));
  }

  #call(request: ApiRequest, identity: Identity, agent: Agent): HttpCall {
    return {
      method: request.method,
      url: this.#url(request),
      headers: this.#headers(request, identity),
      body: request.body,
      agent,
      timeoutMs: this.#connection.requestTimeoutMs,
    };
  }

  async #traced<T extends HttpStream | HttpAnswer | Upgraded>(
    { method, url }: HttpCall,
    send: () => Promise<T>,
  ): Promise<T> {
    this.requestCount += 1;
    const startedMs = performance.now();
    const trace = (outcome: string | number): void =>
      this.#options.trace?.(
        `${method} ${url.href} ${outcome} in ${Math.round(performance.now() - startedMs)} milliseconds`,
      );
    try {
      const answer = await send();
      trace(answer.status);
      this.#passWarnings(answer.warnings);
      return answer;
    } catch (error) {
      trace('failed');
      throw error;
    }
  }

  #url({ path, query = {} }: ApiRequest): URL {
    const url = new URL(this.server + path);
    for (const [name, value] of Object.entries(query)) {
      const values = Array.isArray(value) ? value : value === undefined ? [] : [value];
      for (const one of values) url.searchParams.append(name, String(one));
    }
    return url;
  }

  #headers(request: ApiRequest, identity: Identity): OutgoingHttpHeaders {
    return {
      'user-agent': this.#options.userAgent,
      accept: request.accept ?? 'application/json',
      'accept-encoding': this.#connection.disableCompression ? 'identity' : 'gzip',
      ...(request.body !== undefined && {
        'content-type': request.contentType ?? 'application/json',
        'content-length': String(Buffer.byteLength(request.body)),
      }),
      ...identityHeaders(identity, this.#connection.impersonation),
    };
  }

  #agentFor(identity: Identity): Promise<Agent> {
    if (!this.#agent || this.#agent.certificate !== identity.certificate) {
      this.close();
      this.#agent = { certificate: identity.certificate, agent: createAgent(this.#connection, identity) };
    }
    return this.#agent.agent;
  }

  /** Unbounded, and nothing is kept. Streams under way on the old agent live on. */
  #streamAgentFor(identity: Identity): Promise<Agent> {
    if (!this.#streamAgent || this.#streamAgent.certificate !== identity.certificate) {
      const agent = createAgent(this.#connection, identity).then((created) =>
        Object.assign(created, { maxSockets: Infinity, maxFreeSockets: 0 }),
      );
      this.#streamAgent = { certificate: identity.certificate, agent };
    }
    return this.#streamAgent.agent;
  }

  #passWarnings(warnings: readonly string[]): void {
    for (const text of warnings) {
      if (this.#warned.has(text)) continue;
      this.#warned.add(text);
      this.#options.onWarning(text);
    }
  }
}

async function orThrow(stream: HttpStream, method: string): Promise<HttpStream> {
  const { status } = stream;
  if (status >= 200 && status <= 299) return stream;
  throw apiErrorOf({ status, body: await stream.text() }, method);
}
