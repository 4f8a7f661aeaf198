import { request, type RequestOptions } from 'node:https';
import { listAt, textAt } from '#pkg/object';
import type { Access } from '../../scripts/controlplane/index.ts';
import { Client } from './client.ts';

interface Seen {
  readonly name: string;
  readonly version: number;
  readonly isGone: boolean;
  readonly isTerminating: boolean;
}

/** Remembers in which order objects were marked for deletion and went, by watching them. Versions are one sequence for all kinds. */
export class Recorder {
  readonly #seen: Seen[] = [];
  readonly #stop = new AbortController();

  /** Watches collections, given by their paths. */
  static async open(access: Access, ...paths: readonly string[]): Promise<Recorder> {
    const recorder = new Recorder();
    const client = new Client(access);
    for (const path of paths) {
      const { body } = await client.send('GET', path, undefined);
      const kind = (textAt(body, 'kind') ?? '').replace(/List$/, '');
      await recorder.#watch(access, path, textAt(body, 'metadata', 'resourceVersion') ?? '', kind);
      for (const item of listAt(body, 'items')) recorder.#note(kind, item, 'ADDED');
    }
    return recorder;
  }

  close(): void {
    this.#stop.abort();
  }

  /** `Kind/name` of what is gone, in order. */
  get gone(): readonly string[] {
    return this.#firsts(({ isGone }) => isGone);
  }

  /** `Kind/name` of what was marked for deletion, in order; what went at once is not among them. */
  get terminating(): readonly string[] {
    return this.#firsts(({ isTerminating, isGone }) => isTerminating && !isGone);
  }

  /** Whether one was gone before the other was even marked. */
  isGoneBeforeTerminating(first: string, next: string): boolean {
    const version = (name: string, fits: (seen: Seen) => boolean): number =>
      this.#sorted().find((seen) => seen.name === name && fits(seen))?.version ?? NaN;
    const gone = version(first, ({ isGone }) => isGone);
    return gone < version(next, ({ isTerminating, isGone }) => isTerminating || isGone);
  }

  #firsts(fits: (seen: Seen) => boolean): readonly string[] {
    return [
      ...new Set(
        this.#sorted()
          .filter(fits)
          .map(({ name }) => name),
      ),
    ];
  }

  #sorted(): readonly Seen[] {
    return this.#seen.toSorted((a, b) => a.version - b.version);
  }

  #note(kind: string, object: unknown, type: string): void {
    this.#seen.push({
      name: `${kind}/${textAt(object, 'metadata', 'name') ?? ''}`,
      version: Number(textAt(object, 'metadata', 'resourceVersion')),
      isGone: type === 'DELETED',
      isTerminating: textAt(object, 'metadata', 'deletionTimestamp') !== undefined,
    });
  }

  async #watch(
    { server, adminToken, ca }: Access,
    path: string,
    version: string,
    kind: string,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const url = new URL(`${path}?watch=1&resourceVersion=${version}`, server);
    const options: RequestOptions = {
      ca,
      headers: { authorization: `Bearer ${adminToken}` },
      signal: this.#stop.signal,
    };
    const sent = request(url, options, (response) => {
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const event = JSON.parse(line) as { type: string; object: unknown };
          this.#note(kind, event.object, event.type);
        }
      });
      response.on('error', () => undefined);
      resolve();
    });
    sent.on('error', reject);
    sent.end();
    await promise;
  }
}
