import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createAuthority } from '../../pkg/admission/certificates/issue.ts';
import { DEFAULT_POLICY } from '../../pkg/admission/certificates/policy.ts';

/** What comes of a program; `hangs` is a kubelet that takes the request and never says anything. */
export type Outcome = { readonly code: number; readonly stdout: string; readonly stderr?: string } | 'hangs';

export interface Asked {
  readonly pod: string;
  readonly container: string;
  readonly line: string;
}

const PROTOCOL = 'v5.channel.k8s.io';
const [STDOUT, STDERR, STATUS] = [1, 2, 3];
const CLOSE = Buffer.from([0x88, 2, 0x03, 0xe8]);

/** The part of a kubelet that runs programs in pods, for an API server that passes WebSockets on to it. */
export class TestKubelet {
  readonly asked: Asked[] = [];
  readonly #server: Server;
  readonly #open = new Set<Duplex>();
  readonly #answer: (asked: Asked) => Outcome;

  private constructor(server: Server, answer: (asked: Asked) => Outcome) {
    this.#server = server;
    this.#answer = answer;
    server.on('upgrade', (request: IncomingMessage, socket: Duplex) => this.#talk(request, socket));
  }

  static async start(answer: (asked: Asked) => Outcome): Promise<TestKubelet> {
    // The API server was given no authority to check kubelets by.
    const { certificate: cert, key } = await createAuthority(DEFAULT_POLICY, Date.now());
    const kubelet = new TestKubelet(createServer({ cert, key }), answer);
    kubelet.#server.listen(0, '127.0.0.1');
    await once(kubelet.#server, 'listening');
    return kubelet;
  }

  stop(): void {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
  }

  /** As the API server has to know it. */
  node(name: string): object {
    const { port } = this.#server.address() as AddressInfo;
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name },
      status: {
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
        // Else the API server would speak SPDY to it.
        declaredFeatures: ['ExtendWebSocketsToKubelet'],
      },
    };
  }

  #talk(request: IncomingMessage, socket: Duplex): void {
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    socket.on('error', () => socket.destroy());
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://kubelet');
    const [, , , pod = '', container = ''] = pathname.split('/');
    const asked = { pod, container, line: searchParams.getAll('command').join(' ') };
    this.asked.push(asked);
    const outcome = this.#answer(asked);
    if (outcome === 'hangs') return;
    const { code, stdout, stderr = '' } = outcome;
    socket.write(accepting(request));
    const output = [message(STDOUT, stdout), message(STDERR, stderr), message(STATUS, statusOf(code)), CLOSE];
    socket.end(Buffer.concat(output));
  }
}

function accepting({ headers }: IncomingMessage): string {
  const proof = createHash('sha1')
    .update(`${headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  return [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${proof}`,
    `Sec-WebSocket-Protocol: ${PROTOCOL}`,
    '\r\n',
  ].join('\r\n');
}

function message(channel: number, text: string): Buffer {
  const data = Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
  const size = data.length < 126 ? [data.length] : [126, data.length >> 8, data.length & 0xff];
  return Buffer.concat([Buffer.from([0x82, ...size]), data]);
}

function statusOf(code: number): string {
  const failed = {
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with exit code ${code}`,
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
  return JSON.stringify({ kind: 'Status', metadata: {}, ...(code === 0 ? { status: 'Success' } : failed) });
}
