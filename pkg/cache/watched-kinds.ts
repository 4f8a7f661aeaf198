import { kindKey, keyOf, type GroupKind, type KindKey, type ObjectRef } from '#pkg/object';
import type { KindSpec } from './kind-spec.ts';
import { Reflector, type ReflectorPorts, type WatchHealth } from './reflector.ts';
import type { ObjectChange, StoreView } from './store.ts';
import type { WatchState } from './watch-state.ts';

/** What is known of an object. Unknown is neither present nor absent. */
export type Look<T> =
  | { readonly kind: 'present'; readonly value: T }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly reason: string };

export interface WatchedKindsListener<T> {
  changed?(kind: GroupKind, change: ObjectChange<T>): void;
  stateChanged?(kind: GroupKind, state: WatchState): void;
}

interface Watched<T, Name extends string> {
  readonly kind: GroupKind;
  readonly reflector: Reflector<T, Name>;
  readonly stop: AbortController;
}

/**
 * One watch for each kind that somebody wants, shared by all who do; it ends when nobody does any more. That a watch
 * ends tells nothing about its objects: no listener hears of it.
 */
export class WatchedKinds<T, Name extends string = never> {
  readonly #ports: ReflectorPorts;
  readonly #specOf: (kind: GroupKind) => KindSpec<T, Name>;
  readonly #wanted = new Map<string, readonly GroupKind[]>();
  readonly #watched = new Map<KindKey, Watched<T, Name>>();
  readonly #listeners = new Set<WatchedKindsListener<T>>();
  #start: ((watched: Watched<T, Name>) => void) | undefined;

  constructor(ports: ReflectorPorts, specOf: (kind: GroupKind) => KindSpec<T, Name>) {
    this.#ports = ports;
    this.#specOf = specOf;
  }

  /** All kinds that `user` wants from now on; those it wanted before are forgotten. */
  want(user: string, kinds: Iterable<GroupKind>): void {
    this.#wanted.set(user, [...kinds]);
    const all = new Map([...this.#wanted.values()].flat().map((kind) => [kindKey(kind), kind]));
    for (const [key, { stop }] of this.#watched) {
      if (all.has(key)) continue;
      this.#watched.delete(key);
      stop.abort(new Error('no longer wanted'));
    }
    for (const [key, kind] of all) if (!this.#watched.has(key)) this.#add(key, kind);
  }

  kinds(): readonly GroupKind[] {
    return [...this.#watched.values()].map(({ kind }) => kind);
  }

  /** Undefined while nobody wants the kind. */
  store(kind: GroupKind): StoreView<T, Name> | undefined {
    return this.#watched.get(kindKey(kind))?.reflector.store;
  }

  state(kind: GroupKind): WatchState | undefined {
    return this.#watched.get(kindKey(kind))?.reflector.state;
  }

  look(ref: ObjectRef): Look<T> {
    const reflector = this.#watched.get(kindKey(ref))?.reflector;
    if (!reflector) return { kind: 'unknown', reason: `${ref.kind} is not watched` };
    const { state } = reflector;
    if (state.kind === 'not-served' && state.isCertain) return { kind: 'absent' };
    if (state.kind !== 'synced') return { kind: 'unknown', reason: wordsFor(ref.kind, state) };
    const value = reflector.store.get(keyOf(ref));
    return value === undefined ? { kind: 'absent' } : { kind: 'present', value };
  }

  *health(): Iterable<{
    readonly kind: GroupKind;
    readonly state: WatchState;
    readonly health: WatchHealth;
  }> {
    for (const { kind, reflector } of this.#watched.values())
      yield { kind, state: reflector.state, health: reflector.health };
  }

  /** Returns how to stop listening. */
  listen(listener: WatchedKindsListener<T>): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A definition or a right may have come: kinds that could not be watched are tried at once; all, or one. */
  lookAgain(kind?: GroupKind): void {
    const chosen = kind ? [this.#watched.get(kindKey(kind))] : this.#watched.values();
    for (const watched of chosen) watched?.reflector.lookAgain();
  }

  /** Waits until every kind wanted at this moment is synced, refused or failed. */
  async settled(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#watched.values()].map(({ reflector }) => reflector.settled(signal)));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
    const running = new Set<Promise<void>>();
    this.#start = ({ reflector, stop }) => {
      const task = reflector
        .run(AbortSignal.any([signal, stop.signal]))
        .catch(reject)
        .finally(() => running.delete(task));
      running.add(task);
    };
    for (const watched of this.#watched.values()) this.#start(watched);
    const abort = (): void => resolve();
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      await ended;
    } finally {
      this.#start = undefined;
      await Promise.all(running);
    }
  }

  #add(key: KindKey, kind: GroupKind): void {
    const logger = this.#ports.logger.with({ kind: key });
    const reflector = new Reflector(this.#specOf(kind), { ...this.#ports, logger });
    reflector.store.onChange((change) => {
      for (const listener of this.#listeners) listener.changed?.(kind, change);
    });
    reflector.onState((state) => {
      for (const listener of this.#listeners) listener.stateChanged?.(kind, state);
    });
    const watched = { kind, reflector, stop: new AbortController() };
    this.#watched.set(key, watched);
    this.#start?.(watched);
  }
}

function wordsFor(kind: string, state: WatchState): string {
  switch (state.kind) {
    case 'starting':
      return `${kind} has not been listed yet`;
    case 'not-served':
      return `the server does not have ${kind} at present`;
    case 'forbidden':
      return `forbidden: ${state.reason}`;
    case 'failing':
      return `${kind} cannot be watched: ${state.reason}`;
    case 'synced':
      return '';
  }
}
