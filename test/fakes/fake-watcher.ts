import type { ObjectPage, Selection, Watcher, WatchEvent, WatchRequest } from '#pkg/kube';
import type { KubeObject } from '#pkg/object';

/** One watch that a FakeWatcher was asked for: the test says what comes over it. */
export class FakeWatch implements AsyncIterable<WatchEvent> {
  readonly request: WatchRequest;
  readonly #signal: AbortSignal;
  readonly #events: WatchEvent[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake: () => void = () => undefined;
  isClosed = false;

  constructor(request: WatchRequest, signal: AbortSignal) {
    this.request = request;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.fail(signal.reason), { once: true });
  }

  send(...events: WatchEvent[]): void {
    this.#events.push(...events);
    this.#wake();
  }

  added(...objects: KubeObject[]): void {
    this.send(...objects.map((object) => ({ kind: 'added', object }) as const));
  }

  endOfInitial(resourceVersion: string): void {
    this.send({ kind: 'bookmark', resourceVersion, isEndOfInitial: true });
  }

  end(): void {
    this.#end ??= {};
    this.#wake();
  }

  fail(error: unknown): void {
    this.#end ??= { error };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<WatchEvent> {
    try {
      for (;;) {
        this.#signal.throwIfAborted();
        const event = this.#events.shift();
        if (event) yield event;
        else if (this.#end && 'error' in this.#end) throw this.#end.error;
        else if (this.#end) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.isClosed = true;
    }
  }
}

/** A server whose watches are opened, fed and ended by the test. */
export class FakeWatcher implements Watcher {
  readonly watches: FakeWatch[] = [];
  /** What a list gives, page by page; replaced by tests. */
  list: (selection: Selection, limit: number | undefined) => Iterable<ObjectPage> = () => [];
  /** Called for each new watch; may feed it, or throw what opening it throws. */
  onWatch: (watch: FakeWatch) => void = () => undefined;

  /** The newest. */
  get last(): FakeWatch {
    const last = this.watches.at(-1);
    if (!last) throw new Error('nothing is watched yet');
    return last;
  }

  async *watch(request: WatchRequest, signal: AbortSignal): AsyncIterable<WatchEvent> {
    const watch = new FakeWatch(request, signal);
    this.watches.push(watch);
    this.onWatch(watch);
    yield { kind: 'opened' };
    yield* watch;
  }

  async *pages(selection: Selection, limit: number | undefined): AsyncIterable<ObjectPage> {
    yield* this.list(selection, limit);
  }
}
