import { listed } from '#pkg/drain';
import { conflictsIn, isHiccup } from '#pkg/maintenance';
import { printable } from '#pkg/render';
import { failureLines } from '../failure.ts';
import type { Io } from '../io.ts';
import { INTERRUPTED, TIMED_OUT } from './follow.ts';
import { MaintenanceProgress, type Way } from './progress.ts';
import type { Group } from './rolling-plan.ts';
import { begin, requestOf, resume, survey, type StartOrders } from './start.ts';
import { findMaintenance, type Found, type Tools } from './tools.ts';

const POLL_MS = 2000;
/** Each look asks Ceph for everything. */
const LOOK_MS = 5000;
/** In a row: an API server that is on the node may be away for a while. */
const MAX_FAILURES = 60;

/** Takes groups of nodes out of service, one after the other, while people work on them and stop them. */
export class Round {
  readonly #groups: readonly Group[];
  readonly #orders: StartOrders;
  readonly #tools: Tools;
  readonly #io: Io;
  readonly #progress: MaintenanceProgress;
  /** Nodes that are not over yet, in their order. */
  readonly #left: Set<string>;
  readonly #begun = new Set<string>();

  constructor(groups: readonly Group[], orders: StartOrders, tools: Tools, io: Io) {
    this.#groups = groups;
    this.#orders = { ...orders, wait: true };
    this.#tools = tools;
    this.#io = io;
    this.#progress = new MaintenanceProgress(io);
    const members = groups.flatMap((group) => group.members);
    this.#left = new Set(members.map(({ name }) => name));
    for (const { name, known } of members) if (known) this.#begun.add(name);
  }

  /** The exit code. */
  async run(signal: AbortSignal): Promise<number> {
    try {
      for (const [at, { domain, members }] of this.#groups.entries()) {
        this.#io.error(printable(`${at + 1} of ${this.#groups.length}: ${domain}`));
        const names = members.map(({ name }) => name);
        const code = (await this.#takeAll(names, signal)) || (await this.#awaitAll(names, signal));
        if (code !== 0) return code;
      }
      return 0;
    } catch (error) {
      return this.#failed(error, signal);
    }
  }

  async #takeAll(names: readonly string[], signal: AbortSignal): Promise<number> {
    for (const name of names) {
      const code = await this.#take(name, signal);
      if (code !== 0) return code;
    }
    return 0;
  }

  async #awaitAll(names: readonly string[], signal: AbortSignal): Promise<number> {
    for (const name of names) {
      const code = await this.#untilOver(name, signal);
      if (code !== 0) return code;
    }
    return 0;
  }

  /** Its time begins now, also that in which it has to wait for others. */
  async #take(name: string, signal: AbortSignal): Promise<number> {
    const { clock } = this.#tools.ports;
    const deadlineMs = clock.now() + this.#orders.limitMs;
    const known = await this.#find(name, signal);
    // There is nothing to bring on, and its end is waited for.
    if (known?.maintenance.isStopping || known?.maintenance.status.phase === 'Expired') return 0;
    if (!known && !(await this.#isClear(name, deadlineMs, signal))) return this.#timedOut();
    this.#begun.add(name);
    const orders = { ...this.#orders, limitMs: deadlineMs - clock.now(), way: this.#way() };
    const code = known
      ? await resume(known, orders, this.#tools, this.#io, signal)
      : await begin(
          await requestOf(name, orders, this.#tools, signal),
          orders,
          this.#tools,
          this.#io,
          signal,
        );
    if (code === 0)
      this.#io.error(`Do your work on ${name}, then: kubectl rook-deps maintenance stop ${name}`);
    return code;
  }

  /** Waits until nothing is in the way of a node that has not begun; false when its time is over before. */
  async #isClear(name: string, deadlineMs: number, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#tools.ports;
    for (;;) {
      const situation = await this.#patiently(name, () => this.#look(name, signal), signal);
      const conflicts = conflictsIn(situation, situation.surroundings);
      if (clock.now() >= deadlineMs) return false;
      if (conflicts.length === 0) return true;
      this.#progress.say(`${name} waits: ${conflicts.map(({ message }) => message).join('; ')}`);
      await clock.sleep(LOOK_MS, signal);
    }
  }

  async #look(name: string, signal: AbortSignal): ReturnType<typeof survey> {
    return survey(await requestOf(name, this.#orders, this.#tools, signal), this.#tools, signal);
  }

  /** People may take as long as they like; what comes back afterwards may not. */
  async #untilOver(name: string, signal: AbortSignal): Promise<number> {
    const { clock } = this.#tools.ports;
    for (let stoppedMs: number | undefined; ;) {
      const found = await this.#find(name, signal);
      if (!found) break;
      if (found.maintenance.isStopping) stoppedMs ??= clock.now();
      if (stoppedMs !== undefined && clock.now() - stoppedMs >= this.#orders.limitMs) return this.#timedOut();
      this.#progress.say(waitingWords(name, found));
      await clock.sleep(POLL_MS, signal);
    }
    this.#progress.end();
    this.#left.delete(name);
    this.#begun.delete(name);
    this.#io.error(`${name} is out of maintenance`);
    return 0;
  }

  #find(name: string, signal: AbortSignal): Promise<Found | undefined> {
    return this.#patiently(name, () => findMaintenance(name, this.#tools, signal), signal);
  }

  /** A refusal would be the same the next time. */
  async #patiently<T>(name: string, ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let failures = 0; ; failures += 1) {
      try {
        return await ask();
      } catch (error) {
        if (signal.aborted || !isHiccup(error) || failures >= MAX_FAILURES) throw error;
        this.#progress.say(
          `${name}: ${error instanceof Error ? error.message : String(error)}; trying again`,
        );
        await this.#tools.ports.clock.sleep(POLL_MS, signal);
      }
    }
  }

  #way(): Way {
    const left = [...this.#left];
    const [begun, rest] = [[...this.#begun], left.filter((name) => !this.#begun.has(name))];
    const stays = begun.length > 0 ? [`the maintenance of ${listed(begun)} stays as it is`] : [];
    const waits = rest.length > 0 ? [`nothing was changed on ${listed(rest)}`] : [];
    return {
      left: [...stays, ...waits].join(', '),
      onward: ['start', ...left, '--rolling', ...flagsOf(this.#orders)].join(' '),
      back: begun,
    };
  }

  #timedOut(): number {
    this.#progress.leave('timed out', this.#way());
    return TIMED_OUT;
  }

  #failed(error: unknown, signal: AbortSignal): number {
    if (signal.aborted) {
      this.#progress.leave('interrupted', this.#way());
      return INTERRUPTED;
    }
    this.#progress.end();
    for (const line of failureLines(error instanceof Error ? error : new Error(String(error))))
      this.#io.error(line);
    this.#progress.leave('it could not go on', this.#way());
    return 1;
  }
}

function waitingWords(name: string, { maintenance: { status, isStopping }, by }: Found): string {
  const stop = `kubectl rook-deps maintenance stop ${name}`;
  if (!isStopping) return `${name}: ${status.phase}; waiting for "${stop}"`;
  const hint = by === 'command' ? ` (if nobody does it any more: ${stop})` : '';
  return `${name}: ${status.phase}: ${status.message || 'it is being stopped'}${hint}`;
}

/** What those that have not begun are to be asked for. */
function flagsOf({ reason, duration, noDrain, force }: StartOrders): readonly string[] {
  return [
    ...(reason === undefined ? [] : ['--reason', quoted(reason)]),
    ...(duration === undefined ? [] : ['--duration', duration]),
    ...(noDrain ? ['--no-drain'] : []),
    ...(force ? ['--force'] : []),
  ];
}

/** For a shell. */
function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
