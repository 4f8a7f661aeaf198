import type { Clock } from '#pkg/clock';
import { textAt, type GroupKind, type ResourceTypes } from '#pkg/object';
import { ApiError } from './api-error.ts';
import { discover } from './discovery.ts';
import type { Transport } from './transport.ts';

/** The types of the server, young enough to tell whether `wanted` is among them. */
export interface TypeSource {
  (wanted: GroupKind, signal: AbortSignal): Promise<ResourceTypes>;
  /** The server does not serve what it named: whoever asks next is answered by the server, whatever the age. */
  distrust(): void;
}

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
  /** Answers to earlier questions are not kept. */
  let round = 0;

  async function ask(signal: AbortSignal): Promise<Held> {
    const [askedAtMs, askedIn] = [clock.now(), round];
    const answer = { types: await discover(transport, signal), askedAtMs };
    if (askedIn === round) held = answer;
    return answer;
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
    const started = ask(signal).finally(() => {
      if (asking === started) asking = undefined;
    });
    asking = started;
    return (await started).types;
  }

  async function types(wanted: GroupKind, signal: AbortSignal): Promise<ResourceTypes> {
    if (!held) return fresh(signal);
    const maxAgeMs = held.types.find(wanted) ? FOUND_MAX_AGE_MS : MISSING_MAX_AGE_MS;
    return clock.now() - held.askedAtMs < maxAgeMs ? held.types : fresh(signal);
  }

  return Object.assign(types, {
    distrust: () => {
      round += 1;
      held = undefined;
      asking = undefined;
    },
  });
}

/** Types for a command: asked for once. */
export function typesAskedOnce(transport: Transport): TypeSource {
  let discovered: Promise<ResourceTypes> | undefined;
  function types(_wanted: GroupKind, signal: AbortSignal): Promise<ResourceTypes> {
    discovered ??= discover(transport, signal).catch((error: unknown) => {
      discovered = undefined;
      throw error;
    });
    return discovered;
  }
  return Object.assign(types, { distrust: () => (discovered = undefined) });
}

/** Whether the answer is about the kind, and not about the object: then the Status would name that. */
export function isNotServed(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404 && !textAt(error.details, 'name');
}
