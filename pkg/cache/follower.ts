import type { Clock } from '#pkg/clock';
import { ApiError, type Selection, type Watcher, type WatchEvent } from '#pkg/kube';
import type { KubeObject } from '#pkg/object';
import type { Timing } from './timing.ts';

/** Where what is listed and watched goes: see Intake. */
export interface Sink {
  readonly resourceVersion: string | undefined;
  beginList(): void;
  collect(object: KubeObject): void;
  endList(resourceVersion: string): void;
  take(event: WatchEvent): boolean;
}

export interface FollowerPorts {
  readonly watcher: Watcher;
  readonly clock: Clock;
  readonly timing: Timing;
  readonly random: () => number;
  /** The server has answered. */
  readonly onHeard: () => void;
  /** A full list has gone into the sink. */
  readonly onListed: () => void;
  /** The sink is up to date, or becomes so as soon as the server has sent what we missed. */
  readonly onSynced: () => void;
}

/** A streamed list is no use with this server; lists in pages are. */
const NOT_STREAMED = Symbol('not streamed');

const SETTLE_MS = 1_000;

/** The attempts to list and watch one selection. */
export class Follower {
  readonly #selection: Selection;
  readonly #sink: Sink;
  readonly #ports: FollowerPorts;
  #canStreamLists = true;

  constructor(selection: Selection, sink: Sink, ports: FollowerPorts) {
    this.#selection = selection;
    this.#sink = sink;
    this.#ports = ports;
  }

  /** One watch to its end, with a list before it if there is none to go on from. Throws what ended it otherwise. */
  async follow(signal: AbortSignal): Promise<void> {
    const { resourceVersion } = this.#sink;
    if (resourceVersion !== undefined) return this.#watchFrom(resourceVersion, signal);
    if (this.#canStreamLists && (await this.#streamList(signal)) !== NOT_STREAMED) return;
    return this.#watchFrom(await this.#listPages(this.#ports.timing.pageSize, signal), signal);
  }

  async #watchFrom(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    try {
      for await (const event of this.#events({ resourceVersion }, signal)) {
        if (event.kind === 'opened') void this.#settle(AbortSignal.any([signal, ended.signal]));
        this.#sink.take(event);
        if (event.kind !== 'opened') this.#ports.onSynced();
      }
    } finally {
      ended.abort();
    }
  }

  /** A server accepts a watch first and says then that it cannot go on from there; where nothing happens, silence is good. */
  async #settle(signal: AbortSignal): Promise<void> {
    const isOver = await this.#ports.clock.sleep(SETTLE_MS, signal).then(
      () => false,
      () => true,
    );
    if (!isOver) this.#ports.onSynced();
  }

  /** A list that comes as the beginning of a watch: one object at a time in memory. */
  async #streamList(signal: AbortSignal): Promise<typeof NOT_STREAMED | undefined> {
    this.#sink.beginList();
    let isListed = false;
    try {
      for await (const event of this.#events({ sendInitialEvents: true }, signal)) {
        if (!isListed && isRefusal(event)) return this.#withoutStreams();
        const isEnd = this.#sink.take(event);
        if (isEnd) this.#ports.onListed();
        isListed ||= isEnd;
        if (isListed) this.#ports.onSynced();
      }
    } catch (error) {
      if (isListed || !isUnknownOption(error)) throw error;
      return this.#withoutStreams();
    }
    return isListed ? undefined : NOT_STREAMED;
  }

  #withoutStreams(): typeof NOT_STREAMED {
    this.#canStreamLists = false;
    return NOT_STREAMED;
  }

  async #listPages(limit: number | undefined, signal: AbortSignal): Promise<string> {
    this.#sink.beginList();
    let resourceVersion = '';
    try {
      for await (const page of this.#ports.watcher.pages(this.#selection, limit, signal)) {
        this.#ports.onHeard();
        for (const object of page.items) this.#sink.collect(object);
        resourceVersion = page.resourceVersion;
      }
    } catch (error) {
      // The rest was forgotten before we asked for it: all at once, so that it cannot happen again.
      if (limit !== undefined && isGone(error)) return this.#listPages(undefined, signal);
      throw error;
    }
    this.#sink.endList(resourceVersion);
    this.#ports.onListed();
    this.#ports.onSynced();
    return resourceVersion;
  }

  async *#events(
    from: { readonly resourceVersion: string } | { readonly sendInitialEvents: true },
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent> {
    const { watcher, timing, random, onHeard } = this.#ports;
    const timeoutSeconds = Math.round(timing.watchSeconds * (1 + random()));
    for await (const event of watcher.watch({ ...this.#selection, ...from, timeoutSeconds }, signal)) {
      onHeard();
      yield event;
    }
  }
}

/** Old servers ignore the wish and send bookmarks as ever; others lack what they need in their storage. */
function isRefusal(event: WatchEvent): boolean {
  if (event.kind === 'bookmark') return !event.isEndOfInitial;
  return event.kind === 'error' && ![410, 429, 503, 504].includes(event.status);
}

function isUnknownOption(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 400 || error.status === 422);
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 410;
}
