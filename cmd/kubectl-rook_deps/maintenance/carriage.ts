import { advance, isHiccup, Observer, type Ledger, type Maintenance } from '#pkg/maintenance';
import { isConflict } from '#pkg/object';
import { Backoff } from '#pkg/runtime';
import type { Io } from '../io.ts';
import { warn } from '../wiring.ts';
import { hasController, type Found, type Tools } from './tools.ts';

const POLL_MS = 1000;
/** How often it is asked whether the controller lives. */
const LIFE_CHECK_MS = 30_000;

/** How long we wait before we try again, while nobody answers. */
const PAUSES = { baseMs: 1000, capMs: 30_000, jitter: 0 };

/** Where we carry a maintenance out; undefined while a living controller does. */
export async function carrier(
  { by }: Pick<Found, 'by'>,
  tools: Tools,
  io: Io,
  signal: AbortSignal,
): Promise<Ledger | undefined> {
  if (by === 'command') return tools.commands;
  if (await hasController(tools, io.now(), signal)) return undefined;
  warn(io, 'no controller is running that would carry the maintenance out, so this command does');
  return tools.resources;
}

/** One step of ours, or a look at what the controller has done; whoever of both is there. */
export class Carriage {
  readonly #found: Found;
  readonly #tools: Tools;
  readonly #io: Io;
  readonly #observer: Observer;
  #ledger: Ledger | undefined;
  #checkedMs: number;
  /** How long the last step wants to be left alone: what it came to is told before that. */
  #waitMs = 0;
  readonly #pauses = new Backoff(PAUSES);

  constructor(found: Found, ledger: Ledger | undefined, tools: Tools, io: Io) {
    this.#found = found;
    this.#ledger = ledger;
    this.#tools = tools;
    this.#io = io;
    this.#observer = new Observer(tools.ports.reader);
    this.#checkedMs = tools.ports.clock.now();
  }

  /** Undefined when it is over. What may pass by itself is told and tried again; only a refusal ends it. */
  async turn(current: Maintenance, signal: AbortSignal): Promise<Maintenance | undefined> {
    try {
      return await this.#turn(current, signal);
    } catch (error) {
      if (signal.aborted || !isHiccup(error)) throw error;
      this.#waitMs = this.#pauses.nextMs(current.request.node);
      const lastError = `${error instanceof Error ? error.message : String(error)}; trying again`;
      return { ...current, status: { ...current.status, lastError } };
    }
  }

  async #turn(current: Maintenance, signal: AbortSignal): Promise<Maintenance | undefined> {
    const { ports } = this.#tools;
    await this.#changeGuard(signal);
    const ledger = this.#ledger;
    if (!ledger) return this.#lookOn(current, signal);
    await ports.clock.sleep(this.#waitMs, signal);
    try {
      const held = await ledger.hold(current, signal);
      const result = await advance(held, ledger, this.#observer, ports, signal);
      this.#pauses.forget(current.request.node);
      if (result.kind === 'ended') return undefined;
      this.#waitMs = result.afterMs;
      return result.maintenance;
    } catch (error) {
      // Somebody else wrote first: what they wrote counts.
      if (!isConflict(error)) throw error;
      this.#waitMs = 0;
      return again(current, ledger, signal);
    }
  }

  async #lookOn(current: Maintenance, signal: AbortSignal): Promise<Maintenance | undefined> {
    const { resources, commands, ports } = this.#tools;
    await ports.clock.sleep(Math.max(POLL_MS, this.#waitMs), signal);
    this.#waitMs = 0;
    // There may be another one of this node, kept elsewhere.
    const found = await again(current, this.#found.by === 'controller' ? resources : commands, signal);
    this.#pauses.forget(current.request.node);
    return found;
  }

  /** A controller may die meanwhile, or come back: for a moment both may do it, and what is written first counts. */
  async #changeGuard(signal: AbortSignal): Promise<void> {
    const now = this.#tools.ports.clock.now();
    if (this.#found.by === 'command' || now - this.#checkedMs < LIFE_CHECK_MS) return;
    this.#checkedMs = now;
    if (!this.#ledger) this.#ledger = await carrier(this.#found, this.#tools, this.#io, signal);
    else if (await hasController(this.#tools, this.#io.now(), signal)) this.#ledger = undefined;
  }
}

/** The same one as it is now; another under its name is none of ours. */
async function again(
  { request, origin }: Maintenance,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<Maintenance | undefined> {
  const found = await ledger.find(request.node, signal);
  return found?.origin.metadata.uid === origin.metadata.uid ? found : undefined;
}
