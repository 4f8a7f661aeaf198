import { glance, type Maintenance } from '#pkg/maintenance';
import { compareText } from '#pkg/object';
import { hasController, type Tools } from './tools.ts';

/** Ceph has other things to do than to answer somebody who watches. */
const LOOK_MS = 10_000;

interface Look {
  readonly atMs: number;
  /** What was written down then. */
  readonly written: Maintenance;
  readonly seen: Maintenance;
}

/** One for each node and each place where it may be written down. */
export function placeOf({ origin, request }: Maintenance): string {
  return `${origin.kind}/${request.node}`;
}

/** Whether both say the same. */
export function isSame(a: Maintenance | undefined, b: Maintenance): boolean {
  const text = ({ request, status, isStopping }: Maintenance): string =>
    JSON.stringify([request, status, isStopping]);
  return a !== undefined && text(a) === text(b);
}

/** Maintenances as they are. What a living controller has written is so; what nobody may be at work on is looked at. */
export class Lookout {
  readonly #tools: Tools;
  readonly #looks = new Map<string, Look>();
  #guard: { readonly atMs: number; readonly isThere: boolean } | undefined;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  async all(node: string | undefined, signal: AbortSignal): Promise<readonly Maintenance[]> {
    const { resources, commands } = this.#tools;
    const [kept, entries] = await Promise.all([resources.all(signal), commands.all(signal)]);
    const isAsked = ({ request }: Maintenance): boolean => node === undefined || request.node === node;
    const own = kept.filter(isAsked);
    const isGuarded = own.length > 0 && (await this.#isGuarded(signal));
    const looked = [...(isGuarded ? [] : own), ...entries.filter(isAsked)];
    const seen = await Promise.all(looked.map((written) => this.#look(written, signal)));
    return [...(isGuarded ? own : []), ...seen].toSorted((a, b) =>
      compareText(a.request.node, b.request.node),
    );
  }

  async #isGuarded(signal: AbortSignal): Promise<boolean> {
    const now = this.#tools.ports.clock.now();
    if (!this.#guard || now - this.#guard.atMs >= LOOK_MS)
      this.#guard = { atMs: now, isThere: await hasController(this.#tools, now, signal) };
    return this.#guard.isThere;
  }

  /** Between two looks, what has been written since is the news. */
  async #look(written: Maintenance, signal: AbortSignal): Promise<Maintenance> {
    const { ports } = this.#tools;
    const [place, atMs] = [placeOf(written), ports.clock.now()];
    const last = this.#looks.get(place);
    if (last && atMs - last.atMs < LOOK_MS) return isSame(last.written, written) ? last.seen : written;
    const seen = await glance(written, ports, signal);
    this.#looks.set(place, { atMs, written, seen });
    return seen;
  }
}
