import type { KubeObject } from '#pkg/object';
import type { Clock } from '#pkg/clock';
import type { LeasePort } from '#pkg/runtime';

/** What becomes of one request. */
export interface Fate {
  /** Until it reaches the server. A request that is given up arrives nevertheless. */
  readonly thereMs: number;
  /** Until its answer is back. */
  readonly backMs: number;
  readonly lost: 'nothing' | 'request' | 'answer';
}

export const SWIFT: Fate = { thereMs: 0, backMs: 0, lost: 'nothing' };

/** An API server's Leases, with its optimistic locking, behind networks as bad as a test wants. */
export class FakeLeases {
  readonly stored = new Map<string, KubeObject>();
  readonly #clock: Clock;
  writes = 0;
  #version = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The server as one client sees it; `fate` is asked once per request. */
  port(fate: () => Fate = () => SWIFT): LeasePort {
    const send = <T>(handle: () => T, signal: AbortSignal): Promise<T> => this.#send(fate(), handle, signal);
    return {
      get: (namespace, name, signal) => send(() => this.stored.get(`${namespace}/${name}`), signal),
      create: (lease, signal) => send(() => this.#create(lease), signal),
      update: (lease, signal) => send(() => this.#update(lease), signal),
    };
  }

  #create(lease: KubeObject): KubeObject {
    if (this.stored.has(keyOf(lease))) throw new Error('already exists');
    return this.#store(lease);
  }

  #update(lease: KubeObject): KubeObject {
    const current = this.stored.get(keyOf(lease));
    if (!current) throw new Error('not found');
    if (current.metadata.resourceVersion !== lease.metadata.resourceVersion) throw new Error('conflict');
    return this.#store(lease);
  }

  #store(lease: KubeObject): KubeObject {
    this.writes += 1;
    this.#version += 1;
    const stored = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(this.#version) } };
    this.stored.set(keyOf(lease), stored);
    return stored;
  }

  async #send<T>({ thereMs, backMs, lost }: Fate, handle: () => T, signal: AbortSignal): Promise<T> {
    const never = new AbortController().signal;
    const travel = async (): Promise<T> => {
      if (thereMs > 0) await this.#clock.sleep(thereMs, never);
      if (lost === 'request') return new Promise<T>(() => undefined);
      const answer = handle();
      if (backMs > 0) await this.#clock.sleep(backMs, never);
      return lost === 'answer' ? new Promise<T>(() => undefined) : answer;
    };
    const givenUp = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    signal.throwIfAborted();
    return Promise.race([travel(), givenUp]);
  }
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}
