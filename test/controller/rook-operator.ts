import { setTimeout as sleep } from 'node:timers/promises';
import { ROOK_KINDS, listAt, textAt, type KubeObject, type ResourceType } from '#pkg/object';
import type { Client } from './client.ts';

const ROUND_MS = 100;

/** Serves Rook's finalizers as the operator does, and remembers in which order objects went. */
export class RookStandIn {
  readonly #client: Client;
  readonly #gone: string[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** Objects that it does not let go, as `Kind/name`. */
  readonly holding = new Set<string>();

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#running = this.#run(namespace);
  }

  /** `Kind/name` of what went, in order. */
  get gone(): readonly string[] {
    return this.#gone;
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(namespace: string): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const lists = await Promise.all(ROOK_KINDS.map((type) => this.#list(type, namespace)));
      for (const object of lists.flat()) await this.#serve(object);
      await sleep(ROUND_MS, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }

  async #list(
    { group, version, kind, plural }: ResourceType,
    namespace: string,
  ): Promise<readonly KubeObject[]> {
    const path = `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
    const { body } = await this.#client.send('GET', path, undefined);
    return listAt(body, 'items').map((item) => ({
      ...(item as KubeObject),
      apiVersion: `${group}/${version}`,
      kind,
    }));
  }

  async #serve({ apiVersion, kind, metadata }: KubeObject): Promise<void> {
    const name = `${kind}/${metadata.name}`;
    if (metadata.deletionTimestamp === undefined || this.holding.has(name)) return;
    const own = finalizerOf(kind);
    if (!metadata.finalizers?.includes(own)) return;
    const finalizers = metadata.finalizers.filter((finalizer) => finalizer !== own);
    const type = ROOK_KINDS.find((known) => known.kind === kind);
    const path = `/apis/${apiVersion}/namespaces/${metadata.namespace}/${type?.plural}/${metadata.name}`;
    const body = { metadata: { finalizers, resourceVersion: metadata.resourceVersion } };
    const { status, message } = await this.#client.send('PATCH', path, body);
    if (status === 200) this.#gone.push(name);
    else if (status !== 409 && status !== 404) throw new Error(`cannot let ${name} go: ${status} ${message}`);
  }
}

/** As Rook names it. */
export function finalizerOf(kind: string): string {
  return `${kind.toLowerCase()}.ceph.rook.io`;
}

/** The object with the finalizer that Rook would have put on it. */
export function served(object: object): object {
  const kind = textAt(object, 'kind') ?? '';
  const { metadata, ...rest } = object as { metadata: object };
  return { ...rest, metadata: { ...metadata, finalizers: [finalizerOf(kind)] } };
}
