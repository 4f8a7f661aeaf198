import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Connection } from '../connection.ts';
import { connect, type ConnectOptions, type Transport } from '../transport.ts';

/** A server that answers as the test says, and remembers what it was asked. */
export interface FakeServer {
  readonly url: string;
  readonly requests: readonly IncomingMessage[];
  readonly connections: number;
  close(): Promise<void>;
}

export type Handler = (request: IncomingMessage, answer: ServerResponse) => void;

export async function startFakeServer(handler: Handler): Promise<FakeServer> {
  const requests: IncomingMessage[] = [];
  let connections = 0;
  const server = createServer((request, answer) => {
    requests.push(request);
    handler(request, answer);
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get connections() {
      return connections;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function aConnection(server: string, changes: Partial<Connection> = {}): Connection {
  return {
    server,
    namespace: 'default',
    tls: { ca: undefined, insecure: false, serverName: undefined },
    user: { name: 'user' },
    impersonation: undefined,
    proxyUrl: undefined,
    requestTimeoutMs: 0,
    disableCompression: false,
    env: {},
    ...changes,
  };
}

/** A transport to `server` that never really waits. */
export function aTransport(
  server: string,
  changes: Partial<Connection> = {},
  options: Partial<ConnectOptions> = {},
): Promise<Transport> {
  const quiet = { userAgent: 'test', onWarning: () => undefined, sleep: () => Promise.resolve() };
  return connect(aConnection(server, changes), { ...quiet, ...options });
}

export function sendJson(
  answer: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  answer.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
