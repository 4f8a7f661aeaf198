import type { Clock } from '#pkg/clock';
import type { GroupKind, ResourceTypes } from '#pkg/object';
import { discover } from './discovery.ts';
import type { Transport } from './transport.ts';

/** The types of the server, young enough to tell whether `wanted` is among them. */
export type TypeSource = (wanted: GroupKind, signal: AbortSignal) => Promise<ResourceTypes>;

/** Definitions come and go; a new one is looked for no more often than this. */
const MISSING_MAX_AGE_MS = 1_000;
/** A kind may move to another version. */
const FOUND_MAX_AGE_MS = 60_000;

interface Held {
  readonly types: ResourceTypes;
  readonly askedAtMs: number;
}

/** Types for a program that runs on: asked again when a kind is missing, and from time to time. */
export function refreshedTypes(transport: Transport, clock: Clock): TypeSource {
  let held: Held | undefined;
  let asking: Promise<Held> | undefined;

  async function ask(signal: AbortSignal): Promise<Held> {
    const askedAtMs = clock.now();
    held = { types: await discover(transport, signal), askedAtMs };
    return held;
  }

  /** One question for all who ask meanwhile; who joined it asks for himself if the first one was aborted. */
  async function fresh(signal: AbortSignal): Promise<ResourceTypes> {
    const joined = asking;
    if (joined) {
      const answer = await joined.catch(() => undefined);
      signal.throwIfAborted();
      if (answer) return answer.types;
      return (await ask(signal)).types;
    }
    const started = ask(signal).finally(() => (asking = undefined));
    asking = started;
    return (await started).types;
  }

  return async (wanted, signal) => {
    if (!held) return fresh(signal);
    const maxAgeMs = held.types.find(wanted) ? FOUND_MAX_AGE_MS : MISSING_MAX_AGE_MS;
    return clock.now() - held.askedAtMs < maxAgeMs ? held.types : fresh(signal);
  };
}
