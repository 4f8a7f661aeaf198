import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '#pkg/log';
import { aborted } from './aborted.ts';
import type { Component } from './component.ts';
import { failing, type HealthCheck } from './health.ts';

export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

export interface HealthServerOptions {
  /** Loopback or the pod's address. */
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly live: readonly HealthCheck[];
  readonly ready: readonly HealthCheck[];
  readonly exposition: () => Promise<Exposition>;
  readonly logger: Logger;
}

export interface HealthServer extends Component {
  /** The port that it listens on; rejects if it cannot listen. */
  readonly port: Promise<number>;
}

interface Reply {
  readonly status: number;
  readonly contentType?: string;
  readonly text: string;
}

/** Answers `/healthz`, `/readyz` and `/metrics` in plain HTTP. */
export function healthServer(options: HealthServerOptions): HealthServer {
  const listening = Promise.withResolvers<number>();
  // Whoever runs it learns of the failure too; the port need not be asked for.
  listening.promise.catch(() => undefined);
  return {
    name: 'health-server',
    port: listening.promise,
    async run(signal) {
      const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
        void answer(options, request, response);
      });
      server.on('error', (err) => options.logger.error('health server failed', { err }));
      try {
        server.listen(options.port, options.host);
        await once(server, 'listening');
      } catch (error) {
        listening.reject(error);
        throw error;
      }
      listening.resolve((server.address() as AddressInfo).port);
      await aborted(signal);
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  options: HealthServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status, contentType = 'text/plain; charset=utf-8', text } = await reply(options, request);
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(text) });
  response.end(request.method === 'HEAD' ? undefined : text);
}

async function reply(options: HealthServerOptions, { method, url = '/' }: IncomingMessage): Promise<Reply> {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, text: 'only GET and HEAD\n' };
  switch (url.split('?', 1)[0]) {
    case '/healthz':
      return report(options.live);
    case '/readyz':
      return report(options.ready);
    case '/metrics':
      return metrics(options);
    default:
      return { status: 404, text: 'not found\n' };
  }
}

function report(checks: readonly HealthCheck[]): Reply {
  const problems = failing(checks);
  return problems.length === 0
    ? { status: 200, text: 'ok\n' }
    : { status: 503, text: `${problems.join('\n')}\n` };
}

async function metrics({ exposition, logger }: HealthServerOptions): Promise<Reply> {
  try {
    return { status: 200, ...(await exposition()) };
  } catch (err) {
    logger.error('cannot collect metrics', { err });
    return { status: 500, text: 'cannot collect metrics\n' };
  }
}
