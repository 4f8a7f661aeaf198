import type { Clock } from '#pkg/clock';
import type { Logger } from '#pkg/log';
import type { GroupKind, ResourceTypes } from '#pkg/object';
import { ANY_TYPE } from './resources.ts';

export interface TypeFollowerPorts {
  types(wanted: GroupKind, signal: AbortSignal): Promise<ResourceTypes>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A server tells of a new definition, or that one is gone, a moment after it is so; and answers are kept for a second. */
const LOOKS = 3;
const PAUSE_MS = 1_100;
/** Types of servers behind the API server come and go without a definition. */
const AT_LATEST_MS = 60_000;

/** Keeps knowing what types the server has, when asked to look and some time after. */
export class TypeFollower {
  readonly #ports: TypeFollowerPorts;
  readonly #changed: () => void;
  #types: ResourceTypes | undefined;
  #looksLeft = LOOKS;
  #wake: (() => void) | undefined;

  constructor(ports: TypeFollowerPorts, changed: () => void) {
    this.#ports = ports;
    this.#changed = changed;
  }

  get current(): ResourceTypes | undefined {
    return this.#types;
  }

  /** Something may have changed. */
  ask(): void {
    this.#looksLeft = LOOKS;
    this.#wake?.();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#looksLeft -= 1;
      await this.#look(signal);
      if (signal.aborted) return;
      await this.#pause(this.#looksLeft > 0 ? PAUSE_MS : AT_LATEST_MS, signal);
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    try {
      this.#types = await this.#ports.types(ANY_TYPE, signal);
      this.#changed();
    } catch (err) {
      if (signal.aborted) return;
      this.#ports.logger.error('cannot ask for the types of the server', { err });
      this.#looksLeft = Math.max(1, this.#looksLeft);
    }
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    const alarm = new AbortController();
    this.#wake = () => alarm.abort();
    const either = AbortSignal.any([signal, alarm.signal]);
    await this.#ports.clock.sleep(ms, either).catch((error: unknown) => {
      if (!either.aborted) throw error;
    });
    this.#wake = undefined;
  }
}
