import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Edge } from '#pkg/graph';
import { keyOf, type KubeObject, type ObjectKey, type ObjectRef } from '#pkg/object';
import { DependencyIndex, type DoubtAbout } from '#pkg/rules';

/** Objects that are brought into the index at a time: the webhook answers in between. */
const SLICE = 200;

/** A dependency index that takes in changes as they come, without keeping the event loop for long. */
export class LiveIndex {
  readonly #index = new DependencyIndex();
  /** Changes that are not in the index yet; without an object: gone. */
  readonly #pending = new Map<ObjectKey, { readonly ref: ObjectRef; readonly object?: KubeObject }>();
  #ring: () => void = () => undefined;
  #isResolved = true;
  #revision = 0;
  #haveDoubtsChanged = false;
  readonly #doubted: () => void;

  /** `touched` hears of every object that an edge leads, or has led, to; `doubted` after a while that doubts have changed. */
  constructor(touched: (provider: ObjectRef) => void, doubted: () => void) {
    this.#doubted = doubted;
    this.#index.onEdges(touched);
    this.#index.onDoubts(() => {
      this.#haveDoubtsChanged = true;
    });
  }

  take(ref: ObjectRef, object: KubeObject | undefined): void {
    this.#pending.set(keyOf(ref), { ref, ...(object ? { object } : {}) });
    this.#isResolved = false;
    this.#ring();
  }

  /** Whether all that was taken is in it. */
  get isSettled(): boolean {
    return this.#isResolved;
  }

  /** Another number whenever edges may have changed. */
  get revision(): number {
    return this.#revision;
  }

  edgesTo(provider: ObjectRef): Iterable<Edge> {
    return this.#index.graph.unsortedAt(keyOf(provider), 'dependents');
  }

  edgesOf(object: KubeObject): readonly Edge[] {
    return this.#index.edgesOf(object);
  }

  doubtsAbout(provider: ObjectRef): readonly DoubtAbout[] {
    return this.#index.doubtsAbout(provider);
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#ring(), { once: true });
    while (!signal.aborted) {
      const { promise: news, resolve } = Promise.withResolvers<void>();
      this.#ring = resolve;
      const isFiled = this.#fileSome();
      this.#revision += 1;
      this.#isResolved = this.#index.resolve(SLICE) && isFiled;
      if (this.#isResolved) this.#tellDoubts();
      await (this.#isResolved ? news : nextTurn());
    }
  }

  /** Once for many: each may be about any resource. */
  #tellDoubts(): void {
    if (!this.#haveDoubtsChanged) return;
    this.#haveDoubtsChanged = false;
    this.#doubted();
  }

  #fileSome(): boolean {
    let left = SLICE;
    for (const [key, { ref, object }] of this.#pending) {
      if (left-- <= 0) return false;
      this.#pending.delete(key);
      if (object) this.#index.file(object);
      else this.#index.unfile(ref);
    }
    return true;
  }
}
