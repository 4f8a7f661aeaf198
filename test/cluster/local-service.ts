import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Stands in for a Service: each connection goes to one of the replicas that listen, in turns. */
export class LocalService {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #ports: readonly number[] = [];
  #turn = 0;

  private constructor() {
    this.#server = createServer((client) => this.#forward(client, this.#ports.length));
  }

  static async start(): Promise<LocalService> {
    const service = new LocalService();
    service.#server.listen(0, '127.0.0.1');
    await once(service.#server, 'listening');
    return service;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  lead(...ports: readonly number[]): void {
    this.#ports = ports;
  }

  stop(): void {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
  }

  #forward(client: Socket, triesLeft: number): void {
    const port = this.#ports[this.#turn++ % this.#ports.length];
    if (port === undefined || triesLeft === 0) {
      client.destroy();
      return;
    }
    const backend = connect(port, '127.0.0.1');
    backend.once('error', () => {
      if (backend.connecting || backend.bytesRead === 0) this.#forward(client, triesLeft - 1);
      else client.destroy();
    });
    backend.once('connect', () => {
      for (const socket of [client, backend]) {
        this.#open.add(socket);
        socket.once('close', () => this.#open.delete(socket));
        socket.on('error', () => socket.destroy());
      }
      client.once('close', () => backend.destroy());
      backend.once('close', () => client.destroy());
      client.pipe(backend).pipe(client);
    });
  }
}
