import type { Clock } from '#pkg/clock';
import type { Watcher } from '#pkg/kube';
import type { Logger } from '#pkg/log';
import { pauseMs } from './back-off.ts';
import { Follower } from './follower.ts';
import { Intake } from './intake.ts';
import type { KindSpec } from './kind-spec.ts';
import { Nap } from './nap.ts';
import { Store, type StoreView } from './store.ts';
import { DEFAULT_TIMING, type Timing } from './timing.ts';
import { needsNewList, stateAfter, type WatchState } from './watch-state.ts';

export interface ReflectorPorts {
  readonly watcher: Watcher;
  readonly clock: Clock;
  readonly logger: Logger;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly timing?: Partial<Timing> | undefined;
}

/** How a watch fares, for metrics. */
export interface WatchHealth {
  readonly objects: number;
  readonly resourceVersion: string | undefined;
  /** When the server was last heard of, in ms since 1970; a sound watch hears of it every minute. */
  readonly heardAtMs: number | undefined;
  /** Full lists so far. */
  readonly lists: number;
  /** Failed attempts in a row. */
  readonly failures: number;
}

/** Looks in a row after which a kind that is not served counts as gone, and its objects with it. */
const LOOKS_UNTIL_GONE = 3;

/** Keeps a store equal to what the server has for as long as it runs; never gives up. */
export class Reflector<T, Name extends string = never> {
  readonly #ports: ReflectorPorts;
  readonly #timing: Timing;
  readonly #store: Store<T, Name>;
  readonly #intake: Intake<T, Name>;
  readonly #follower: Follower;
  readonly #nap: Nap;
  readonly #listeners = new Set<(state: WatchState) => void>();
  #state: WatchState = { kind: 'starting' };
  #heardAtMs: number | undefined;
  #lists = 0;
  #failures = 0;
  #looksInVain = 0;

  constructor(spec: KindSpec<T, Name>, ports: ReflectorPorts) {
    this.#ports = ports;
    this.#timing = { ...DEFAULT_TIMING, ...ports.timing };
    this.#store = new Store(spec.indexes);
    this.#intake = new Intake(spec, this.#store);
    this.#nap = new Nap(ports.clock);
    this.#follower = new Follower(spec, this.#intake, {
      watcher: ports.watcher,
      clock: ports.clock,
      timing: this.#timing,
      random: ports.random,
      onHeard: () => (this.#heardAtMs = ports.clock.now()),
      onListed: () => (this.#lists += 1),
      onSynced: () => this.#become({ kind: 'synced' }),
    });
  }

  get store(): StoreView<T, Name> {
    return this.#store;
  }

  get state(): WatchState {
    return this.#state;
  }

  get hasSynced(): boolean {
    return this.#state.kind === 'synced';
  }

  get health(): WatchHealth {
    return {
      objects: this.#store.size,
      resourceVersion: this.#intake.resourceVersion,
      heardAtMs: this.#heardAtMs,
      lists: this.#lists,
      failures: this.#failures,
    };
  }

  /** Called with each new state. Returns how to stop listening. */
  onState(listener: (state: WatchState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The first state after `starting`: synced, refused or failed. */
  async settled(signal: AbortSignal): Promise<WatchState> {
    signal.throwIfAborted();
    if (this.#state.kind !== 'starting') return this.#state;
    const { promise, resolve, reject } = Promise.withResolvers<WatchState>();
    const stop = this.onState(resolve);
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await promise;
    } finally {
      stop();
      signal.removeEventListener('abort', abort);
    }
  }

  /** Something may have changed for the better: a pause under way ends now. */
  lookAgain(): void {
    this.#nap.end();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startedMs = this.#ports.clock.now();
      const failure = await this.#attempt(signal);
      if (signal.aborted) return;
      const isSteady = this.#ports.clock.now() - startedMs >= this.#timing.steadyAfterMs;
      this.#failures = isSteady ? 0 : this.#failures + 1;
      if (failure) this.#note(failure.reason);
      if (this.#failures > 0) await this.#nap.take(this.#pauseMs(), signal);
    }
  }

  /** Undefined when the server ended the watch in good order. Whatever goes wrong, we try again. */
  async #attempt(signal: AbortSignal): Promise<{ readonly reason: unknown } | undefined> {
    try {
      await this.#follower.follow(signal);
      return undefined;
    } catch (reason) {
      return { reason };
    }
  }

  #note(error: unknown): void {
    const isBehind = needsNewList(error);
    if (isBehind) this.#intake.resourceVersion = undefined;
    const state = stateAfter(error);
    if (state.kind === 'not-served') return this.#noteNotServed();
    this.#looksInVain = 0;
    // A connection that breaks after a long life is made anew at once: no reason for alarm, unless that fails, too.
    if (state.kind !== 'failing' || isBehind || this.#failures > 0) this.#become(state);
  }

  #noteNotServed(): void {
    this.#looksInVain += 1;
    const isCertain = this.#looksInVain >= LOOKS_UNTIL_GONE;
    if (isCertain) this.#intake.forgetAll();
    this.#become({ kind: 'not-served', isCertain });
  }

  #pauseMs(): number {
    const isSlow = this.#state.kind === 'not-served' || this.#state.kind === 'forbidden';
    const pauses = isSlow ? this.#timing.slowPauses : this.#timing.pauses;
    return pauseMs(pauses, this.#failures, this.#ports.random);
  }

  #become(state: WatchState): void {
    if (state.kind === 'synced') this.#looksInVain = 0;
    if (isSame(this.#state, state)) return;
    this.#state = state;
    this.#ports.logger.info('watch changed its state', { state: state.kind, reason: reasonOf(state) });
    for (const listener of this.#listeners) listener(state);
  }
}

function isSame(a: WatchState, b: WatchState): boolean {
  if (a.kind === 'not-served' && b.kind === 'not-served') return a.isCertain === b.isCertain;
  return a.kind === b.kind && reasonOf(a) === reasonOf(b);
}

function reasonOf(state: WatchState): string | undefined {
  return 'reason' in state ? state.reason : undefined;
}
