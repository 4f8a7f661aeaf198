import { aborted } from './aborted.ts';
import type { Component } from './component.ts';
import type { Logger } from '#pkg/log';

/** Components that are started together and stopped together. */
export class Crew {
  readonly #stop = new AbortController();
  readonly #running = new Map<Component, Promise<void>>();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** `onFailure` gets the error of each component that ends before it is told to. */
  start(components: readonly Component[], onFailure: (error: Error) => void): void {
    for (const component of components) {
      const run = this.#run(component, onFailure).finally(() => this.#running.delete(component));
      this.#running.set(component, run);
    }
  }

  get running(): readonly string[] {
    return [...this.#running.keys()].map(({ name }) => name);
  }

  /** Resolves when all have ended, or the limit is aborted: `running` then names those that have not. */
  async stop(limit: AbortSignal): Promise<void> {
    this.#stop.abort();
    await Promise.race([Promise.all(this.#running.values()), aborted(limit)]);
  }

  async #run(component: Component, onFailure: (error: Error) => void): Promise<void> {
    const { signal } = this.#stop;
    try {
      await component.run(signal);
    } catch (err) {
      if (!signal.aborted) onFailure(new Error(`component "${component.name}" failed`, { cause: err }));
      // Many reject with the reason they were given to stop, which says nothing new.
      else if (err !== signal.reason)
        this.#logger.error('component failed while stopping', { component: component.name, err });
      return;
    }
    if (!signal.aborted) onFailure(new Error(`component "${component.name}" ended unexpectedly`));
  }
}
