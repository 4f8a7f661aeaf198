import { gunzipSync } from 'node:zlib';
import { Worker } from 'node:worker_threads';
import type { Finding } from '#pkg/dependents';
import { ownBundle } from '#pkg/install';
import type { Connection } from '#pkg/kube';
import type { Logger } from '#pkg/log';
import type { KubeObject } from '#pkg/object';
import type { Component } from '#pkg/runtime';
import type { LookReply, LookRequest } from './look-worker.ts';

/** A list that does not fit ends the thread, which is started anew, and not the webhook. */
const MAX_HEAP_MB = 320;

interface Asker {
  readonly resolve: (findings: readonly Finding[]) => void;
  readonly reject: (error: Error) => void;
}

/** A thread that looks: this very program, see `look-worker.ts`. Started when first needed, which may be never. */
export class LookThread implements Component {
  readonly name = 'looks';
  readonly #connection: Connection;
  readonly #logger: Logger;
  readonly #askers = new Map<number, Asker>();
  #worker: Promise<Worker> | undefined;
  #lastId = 0;
  #isOver = false;

  constructor(connection: Connection, logger: Logger) {
    this.#connection = connection;
    this.#logger = logger;
  }

  async look(subjects: readonly KubeObject[], signal: AbortSignal): Promise<readonly Finding[]> {
    if (this.#isOver) throw new Error('the controller is stopping');
    this.#worker ??= this.#start();
    const worker = await this.#worker;
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<readonly Finding[]>();
    const id = ++this.#lastId;
    this.#askers.set(id, { resolve, reject });
    const giveUp = (): void => {
      this.#answer(id)?.reject(signal.reason as Error);
      worker.postMessage({ id, isOver: true } satisfies LookRequest);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    worker.postMessage({ id, subjects } satisfies LookRequest);
    return promise;
  }

  async run(signal: AbortSignal): Promise<void> {
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    this.#isOver = true;
    await (await this.#worker)?.terminate();
  }

  async #start(): Promise<Worker> {
    const program = gunzipSync((await ownBundle()).gzip).toString('utf8');
    const worker = new Worker(program, {
      eval: true,
      workerData: this.#connection,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    worker.on('message', (reply: LookReply) => {
      const asker = this.#answer(reply.id);
      if ('findings' in reply) asker?.resolve(reply.findings);
      else asker?.reject(new Error(reply.failure));
    });
    worker.on('error', (err) => this.#logger.error('the thread that looks has failed', { err }));
    worker.on('exit', () => this.#end());
    return worker;
  }

  #answer(id: number): Asker | undefined {
    const asker = this.#askers.get(id);
    this.#askers.delete(id);
    return asker;
  }

  #end(): void {
    this.#worker = undefined;
    for (const { reject } of this.#askers.values()) reject(new Error('the thread that looks has ended'));
    this.#askers.clear();
  }
}
